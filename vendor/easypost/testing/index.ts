/**
 * A carrier service for tests and rigs: a process with the part of EasyPost's HTTP API that the box uses.
 */
import { type RunningSimulator, startSimulatorProcess } from '@carton/runtime/testing';

export { failingPostalCode, unknownPostalCode, wrongAnswers } from './easypost.ts';

export function startCarrierService(): Promise<RunningSimulator> {
  return startSimulatorProcess(new URL('./main.ts', import.meta.url));
}

/** The settings of a box that uses it. */
export function carrierServiceSettings({ url }: RunningSimulator): NodeJS.ProcessEnv {
  return { CARRIER_SERVICE: 'easypost', EASYPOST_API_URL: url, EASYPOST_API_KEY: 'EZTKsimulator' };
}
