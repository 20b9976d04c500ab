/**
 * How often tests of races repeat.
 */

/**
 * Rounds of a race: few by default, since every round must hold; `npm run rig -- races` asks for many through
 * `RACE_ROUNDS`. Tests that use it are in files named `*races.test.ts`, which the rig runs.
 */
export const raceRounds: number = Number(process.env.RACE_ROUNDS ?? 10);
