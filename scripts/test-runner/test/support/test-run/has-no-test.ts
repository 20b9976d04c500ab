export const tests = 0;
