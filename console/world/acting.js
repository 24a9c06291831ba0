// What a person does on the page: done, shown, and told; or told why not.

/**
 * @param {(text: string, bad?: boolean) => void} notice
 * @param {() => Promise<void>} refresh
 */
export function acting(notice, refresh) {
  /** `done`: what is told of it, or how what it answered is. @param {() => Promise<any>} work @param {string | ((said: any) => string)} done */
  return async (work, done) => {
    try {
      const said = await work();
      await refresh();
      notice(typeof done === 'string' ? done : done(said));
    } catch (problem) {
      notice(/** @type {Error} */ (problem).message, true);
    }
  };
}
