// What a test's thread and the thread of its worlds tell each other.
import type { HandlerReply } from '../../twins/kit/handlers.ts';
import type { Place, Question, RoomAnswer, RoomOptions, TwinRequest } from './room.ts';

/** What the test's thread asks for; each is answered once, by its number. */
export type Wish =
  /** `wanted`: an Int32 a service, in the order of `options.twins`; not 0 where the test has a function for its calls. */
  | {
      readonly type: 'open';
      readonly room: number;
      readonly options: RoomOptions;
      readonly wanted: SharedArrayBuffer;
    }
  | {
      readonly type: 'ask';
      readonly room: number;
      readonly question: Question;
    }
  | {
      readonly type: 'place';
      readonly room: number;
      readonly name: string;
      readonly token: string;
      readonly proxyUrl: string;
    }
  | { readonly type: 'close'; readonly room: number };

export type ToThread =
  | { readonly type: 'wish'; readonly id: number; readonly wish: Wish }
  /** What the test's functions say to a call. */
  | { readonly type: 'said'; readonly id: number; readonly reply: HandlerReply | null };

export type FromThread =
  | { readonly type: 'done'; readonly id: number; readonly result: Place | RoomAnswer | null }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  | {
      readonly type: 'prompt';
      readonly id: number;
      readonly room: number;
      readonly service: string;
      readonly request: TwinRequest;
    }
  | { readonly type: 'complaint'; readonly room: number; readonly line: string };
