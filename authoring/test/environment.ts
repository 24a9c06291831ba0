// What a test's world reads of its process's environment.

/** A test run inside of a world run would send the worlds' own traffic into the outer one. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return env;
}

/** What the variables for child processes add to. Where nobody asks for a JVM's store, the program that makes it is not found. */
export function userEnvironment({ java }: { readonly java: boolean }): NodeJS.ProcessEnv {
  if (java) return process.env;
  const { PATH: _path, JAVA_HOME: _home, ...others } = process.env;
  return others;
}

/** The way out of this machine, for what is granted. */
export function wayOutEnvironment(): NodeJS.ProcessEnv {
  return process.env;
}
