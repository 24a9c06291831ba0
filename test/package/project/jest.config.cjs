module.exports = {
  testEnvironment: 'wrld/jest',
  testEnvironmentOptions: { twins: ['stripe', 'openai'], seed: 'seed.mjs' },
  testMatch: ['<rootDir>/jest.test.cjs'],
  transform: {},
  watchman: false,
};
