// `wrld/test`: a world for a test suite (docs/testing.md).
export type { Answer } from './test/answers.ts';
export { type OpenWorldOptions, openWorld } from './test/open-world.ts';
export type { Received, Receiver } from './test/receiver.ts';
export type { RefusalError } from './test/refusal-error.ts';
export type { Grants, TwinRequest } from './test/room.ts';
export { story } from './test/story.ts';
export type {
  Entry,
  Refused,
  ScenarioSeen,
  TimelineRow,
  TwinView,
  WorldClock,
} from './test/view.ts';
export type { Branch, Reachable, World } from './test/world.ts';
