// The declaration as one JSON document, and as a person reads it. A value that a file of the project writes out is shown;
// one that came of the machine's environment, or of a file of variables, is somebody's secret until shown otherwise.
import { judgeMount } from '../policy/files.ts';
import type { RefusalRecord } from '../policy/refusal.ts';
import { refuse } from '../policy/refusal.ts';
import type { Declaration, DeclaredBy } from '../policy/run.ts';
import { type DeclaredImage, wordsOf } from './declared-image.ts';
import type { Images } from './images.ts';
import { NOTES_MAX } from './limits.ts';
import type { Note } from './note.ts';

export type ImageDeclaration = {
  readonly kind: 'wrld-image-declaration';
  readonly version: 1;
  readonly name: string;
  readonly base: string;
  readonly file: string;
  readonly line: number;
  readonly profiles: readonly string[];
  readonly capabilities: {
    readonly network: {
      /** Absent: open, as a build file declares it. */
      readonly egress?: readonly string[];
      readonly services: readonly string[];
      readonly ownLoopback: true;
      readonly host: boolean;
    };
    readonly files: {
      readonly read: readonly {
        readonly from: string;
        readonly at: string;
        readonly readOnly: boolean;
        readonly file: string;
        readonly line: number;
      }[];
      readonly persist: readonly { readonly path: string; readonly file: string; readonly line: number }[];
    };
  };
  readonly command: readonly string[] | null;
  readonly user: string | null;
  readonly workingFolder: string;
  readonly environment: readonly {
    readonly name: string;
    readonly value?: string;
    readonly file: string;
    readonly line: number;
  }[];
  readonly ports: readonly {
    readonly port: number;
    readonly protocol: string;
    readonly published: number | null;
    readonly file: string;
    readonly line: number;
  }[];
  readonly dependsOn: readonly {
    readonly name: string;
    readonly condition: string;
    readonly file: string;
    readonly line: number;
  }[];
  readonly extraHosts: readonly {
    readonly name: string;
    readonly address: string;
    readonly file: string;
    readonly line: number;
  }[];
  readonly declaredBy: readonly DeclaredBy[];
  /** What it declares and no world gives it. */
  readonly refusals: readonly RefusalRecord[];
  readonly notUnderstood: readonly Note[];
};

export type DeclarationView = {
  readonly docsUrl: string;
  /** Absolute, its links resolved; null where there is no world. */
  readonly worldFolder: string | null;
  /** The path itself where nothing is there. */
  readonly realPath: (path: string) => string;
};

/** What of it policy judges requests by. */
export function networkDeclaration(image: DeclaredImage): Declaration {
  return {
    ...(image.egress !== null && { egress: image.egress }),
    services: image.services,
    ownLoopback: true,
    host: image.host,
    declaredBy: image.declaredBy,
  };
}

/** Mounts that are refused whatever the world grants (7.2 `mount-outside-world`, `read-invalid`). */
export function mountRefusals(image: DeclaredImage, view: DeclarationView): readonly RefusalRecord[] {
  const declaration = networkDeclaration(image);
  const { docsUrl, worldFolder } = view;
  return image.mounts.flatMap(({ kind, source, target, place }): RefusalRecord[] => {
    if (!target.startsWith('/')) {
      const record = refuse('read-invalid', { target }, docsUrl, declaration);
      return [{ ...record, declaredBy: { capability: record.capability, ...place } }];
    }
    if (kind !== 'bind' || worldFolder === null) return [];
    const judged = judgeMount(view.realPath(source!), {
      docsUrl,
      declaration,
      visible: [],
      volumes: [],
      worldFolder,
    });
    return judged.ok
      ? []
      : [{ ...judged.refusal, declaredBy: { capability: judged.refusal.capability, ...place } }];
  });
}

export function imageDeclaration(image: DeclaredImage, view: DeclarationView): ImageDeclaration {
  const { name, base, place, profiles, egress, services, host, mounts, persist, user, workingFolder } = image;
  const ports = [
    ...image.published.map(({ target, protocol, published, place: at }) => ({
      port: target,
      protocol,
      published,
      ...at,
    })),
    ...image.exposed
      .filter(
        ({ port, protocol }) =>
          !image.published.some(each => each.target === port && each.protocol === protocol),
      )
      .map(({ port, protocol, place: at }) => ({ port, protocol, published: null, ...at })),
  ];
  return {
    kind: 'wrld-image-declaration',
    version: 1,
    name,
    base,
    ...place,
    profiles,
    capabilities: {
      network: { ...(egress !== null && { egress }), services, ownLoopback: true, host },
      files: {
        read: mounts.flatMap(({ kind, source, target, readOnly, place: at }) =>
          kind === 'bind' ? [{ from: source!, at: target, readOnly, ...at }] : [],
        ),
        persist: persist.map(({ path, place: at }) => ({ path, ...at })),
      },
    },
    command: wordsOf(image, null),
    user: user?.name ?? null,
    workingFolder: workingFolder.path,
    environment: [...image.env].map(([key, { value, written, place: at }]) => ({
      name: key,
      ...(written && value !== null && { value }),
      ...at,
    })),
    ports,
    dependsOn: [...image.dependsOn].map(([key, { condition, place: at }]) => ({
      name: key,
      condition,
      ...at,
    })),
    extraHosts: [...image.extraHosts].map(([key, { address, place: at }]) => ({ name: key, address, ...at })),
    declaredBy: image.declaredBy,
    refusals: mountRefusals(image, view),
    notUnderstood: image.notes.slice(0, NOTES_MAX),
  };
}

export type ImagesDocument = {
  readonly files: readonly string[];
  readonly images: readonly ImageDeclaration[];
  readonly notUnderstood: readonly Note[];
};

export function imagesDocument(images: Images, view: DeclarationView): ImagesDocument {
  return {
    files: images.files,
    images: images.images.map(image => imageDeclaration(image, view)),
    notUnderstood: images.notes.slice(0, NOTES_MAX),
  };
}
