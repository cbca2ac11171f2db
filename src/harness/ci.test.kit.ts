/** Kit: whether tests run in CI, where one that has to be skipped is a failure. */
export const inCi = !['', '0', 'false', undefined].includes(process.env.CI);
