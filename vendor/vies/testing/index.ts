/**
 * VIES for tests and rigs: a process with the part of its HTTP API that the box uses.
 */
import { type RunningSimulator, startSimulatorProcess } from '@carton/runtime/testing';

export { unknownNumbers, wrongAnswers } from './vies.ts';

export function startVies(): Promise<RunningSimulator> {
  return startSimulatorProcess(new URL('./main.ts', import.meta.url));
}

/** The settings of a box that uses it. */
export function viesEnvironment({ url }: RunningSimulator): NodeJS.ProcessEnv {
  return { TAX_NUMBER_CHECKERS: 'vies', VIES_API_URL: url };
}
