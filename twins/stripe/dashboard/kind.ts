// What a kind of object is on the dashboard: its list, its page, and what can be done there.
import type { Html } from '../../kit/html.ts';
import type { RecordName, Records } from '../records.ts';
import type { Asking } from './operate.ts';
import type { Visit } from './visit.ts';

export type Column<Held> = {
  readonly title: string;
  readonly cell: (visit: Visit, held: Held) => Html | string;
  /** Left out where the window is narrow. */
  readonly wide?: boolean;
};

export type Fact = readonly [title: string, value: Html | string | null];

/** Something that is done with a form: the operation of the API that does it. */
export type Deed<Held> = {
  /** What the form's field `do` says. */
  readonly name: string;
  readonly label: string;
  /** What is said above its button. */
  readonly about: string;
  readonly fields?: (held: Held, visit: Visit) => Html;
  /** Whether there is anything to do. */
  readonly when: (held: Held, visit: Visit) => boolean;
  readonly does: (held: Held, form: Visit['form'], visit: Visit) => Asking | (() => void);
};

export type Filter = { readonly param: string; readonly title: string; readonly values: readonly string[] };

export type ListPart<Held> = {
  /** `customers.list` */
  readonly operation: string;
  /** The API's own search; none where the API has none. */
  readonly search?: string;
  /** What a person's words, which are no query of the API's, may be: values of an index of the type. */
  readonly byWords?: (visit: Visit, words: string) => readonly Held[];
  readonly columns: readonly Column<Held>[];
  readonly filters?: readonly Filter[];
  /** Parameters of the list that a link may give besides. */
  readonly takes?: readonly string[];
  readonly empty: { readonly says: string; readonly curl: string };
  /** What makes one; its form is on the list's page. */
  readonly make?: Make;
};

export type Make = {
  readonly label: string;
  readonly fields: Html;
  readonly asks: (form: Visit['form']) => Asking;
};

export type Kind<Name extends RecordName = RecordName> = {
  readonly type: Name;
  /** The last part of the list's address, and of the manifest's screen. */
  readonly path: string;
  /** What its ids begin with, where objects of other types stand under the same path. */
  readonly prefix?: string;
  /** The list's heading. */
  readonly title: string;
  readonly noun: string;
  readonly list?: ListPart<Records[Name]>;
  readonly heading: (held: Records[Name]) => string;
  readonly facts: (visit: Visit, held: Records[Name]) => readonly Fact[];
  /** What belongs to it: tables of related objects. */
  readonly related?: (visit: Visit, held: Records[Name]) => Html;
  readonly deeds?: readonly Deed<Records[Name]>[];
};
