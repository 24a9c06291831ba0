// Gives a browser what its profile has at the site whose address this is (4.3): its local storage, then its cookies, of which
// the last says that all is here. Runs once per version of the state, in the place of the first page, which it then shows.

const PLACE = '/.well-known/wrld-site/';
/** @param {string} path */
async function ask(path) {
  const answer = await fetch(PLACE + path, { cache: 'no-store' });
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.error.message), { status: answer.status });
  return said;
}

/** @param {{ version: string; parts: number; storage: readonly { name: string; value: string }[] }} state */
async function load({ version, parts, storage }) {
  // An earlier state's, and all that its pages made of it, are another browser's.
  localStorage.clear();
  for (const { name, value } of storage) localStorage.setItem(name, value);
  for (let part = 0; part < parts; part++) await ask(`cookies?version=${version}&part=${part}`);
}

async function begin() {
  for (let tries = 1; ; tries++) {
    const state = await ask('state');
    if (state.loaded) return location.reload();
    // A profile that is replaced while it is loaded is loaded again; a browser that keeps none of it is asked no more.
    if (tries > 3) throw new Error('This browser keeps no cookies of this page, and its state is of no use.');
    try {
      await load(state);
    } catch (problem) {
      if (/** @type {{ status?: number }} */ (problem).status !== 409) throw problem;
    }
  }
}

begin().catch(problem => {
  const say = document.getElementById('say');
  if (say !== null) say.textContent = `The browser’s state cannot be loaded here: ${problem.message}`;
});
