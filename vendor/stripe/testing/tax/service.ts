/**
 * A tax service: a process with the part of Stripe Tax's HTTP API that the box uses.
 */
import { type RunningSimulator, startSimulatorProcess } from '@carton/runtime/testing';

export { booksCode, unknownPostalCode, wrongAnswers } from './stripe-tax.ts';

export function startTaxService(): Promise<RunningSimulator> {
  return startSimulatorProcess(new URL('./main.ts', import.meta.url));
}

/** The settings of a box that uses it. */
export function taxServiceSettings({ url }: RunningSimulator): NodeJS.ProcessEnv {
  return { TAX_PROVIDERS: 'stripe', TAX_STRIPE_API_URL: url, STRIPE_SECRET_KEY: 'sk_test_simulator' };
}
