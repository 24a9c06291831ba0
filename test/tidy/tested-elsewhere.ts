// Source files without a test of their own name, and where they are tested instead.

export const TESTED_ELSEWHERE: readonly {
  readonly files: readonly string[];
  /** Null: types only, or a limit file; the compiler is its test. */
  readonly by: string | null;
}[] = [
  {
    files: [
      'policy/ask.ts',
      'policy/decision.ts',
      'policy/run.ts',
      'proxy/plane.ts',
      'proxy/limits.ts',
      'control/ports/',
    ],
    by: null,
  },
];
