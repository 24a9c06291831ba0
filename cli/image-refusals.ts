// What images that run natively were refused by the sandbox, which no proxy sees: told as it happens, each thing once, and
// written as records for whoever asks for them.
import { appendFileSync } from 'node:fs';
import { networkDeclaration } from '../images/declaration-text.ts';
import type { DeclaredImage } from '../images/declared-image.ts';
import type { Asked } from '../images/native/messages.ts';
import { judgePersist, judgeRead } from '../policy/files.ts';
import { type RefusalRecord, refusalJson } from '../policy/refusal.ts';
import { told } from './image-plan.ts';
import { shown } from './images.ts';
import { REFUSALS_TOLD_MAX } from './limits.ts';
import type { Output } from './output.ts';

type Options = {
  readonly output: Output;
  readonly docsUrl: string;
  readonly worldFolder: string;
  /** Counts alone. */
  readonly quiet: boolean;
  /** A record a line is appended here. */
  readonly file: string | null;
};

export class ImageRefusals {
  #count = 0;
  readonly #options: Options;
  /** By image and rule, what was told of it. */
  readonly #told = new Map<string, Set<string>>();

  constructor(options: Options) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  /** Of a connection, the line that 7.1 has for programs that are no JavaScript; of a file, its record. */
  heard(image: DeclaredImage, asked: Asked): void {
    const { output, quiet } = this.#options;
    if (asked.what === 'read') return this.#judge(judgeRead(asked.path, this.#view(image)), image);
    const { program, pid, port } = asked;
    const line = `Sandbox: ${shown(program)}(${pid}) deny(1) network-outbound remote:*:${port}`;
    this.#count += 1;
    if (this.#isNew(image, 'native-direct', line) && !quiet) output.error(line);
  }

  /** Paths that the image wrote and that nothing declares. */
  kept(
    image: DeclaredImage,
    { paths, more }: { readonly paths: readonly string[]; readonly more: number },
  ): void {
    for (const path of paths) this.#judge(judgePersist(path, this.#view(image)), image);
    this.#count += more;
    if (more > 0 && !this.#options.quiet) this.#options.output.error(`wrld: and ${more} more paths`);
  }

  #judge(decision: ReturnType<typeof judgeRead>, image: DeclaredImage): void {
    if (decision.ok) return;
    const { refusal } = decision;
    const { output, quiet, file } = this.#options;
    this.#count += 1;
    if (!this.#isNew(image, refusal.rule, refusal.target)) return;
    if (!quiet) output.error(`${output.ink('yellow', 'wrld:')} ${told(refusal)}`);
    if (file !== null) this.#write(file, refusal);
  }

  #write(file: string, record: RefusalRecord): void {
    appendFileSync(file, `${refusalJson(record)}\n`);
  }

  /** Of one kind, the first alone are told; whoever asks for a thousand files asks for one folder. */
  #isNew({ name }: DeclaredImage, rule: string, what: string): boolean {
    const key = `${rule} ${name}`;
    const all = this.#told.get(key) ?? new Set();
    this.#told.set(key, all);
    if (all.has(what) || all.size > REFUSALS_TOLD_MAX) return false;
    all.add(what);
    if (all.size <= REFUSALS_TOLD_MAX) return true;
    if (!this.#options.quiet)
      this.#options.output.error(`wrld: and more of ${rule}, which are counted and not told`);
    return false;
  }

  #view(image: DeclaredImage): Parameters<typeof judgeRead>[1] {
    const { docsUrl, worldFolder } = this.#options;
    const volumes = image.persist.map(each => each.path);
    return { docsUrl, worldFolder, declaration: networkDeclaration(image), visible: [], volumes };
  }
}
