// What the tests draw lots by. `npm test` draws the same in every run, so that what landed green stays green; WRLD_SEED
// gives another, and WRLD_SEED=random one that nobody knows before. Whatever fails names its seed.

const seedOf = (unlessGiven: string): number => {
  const given = process.env['WRLD_SEED'] ?? unlessGiven;
  return given === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(given);
};

export const SEED = seedOf('1');

/** For runs whose purpose is to find what no run has found. */
export const NEW_SEED = seedOf('random');
