/**
 * The simulator of Stripe Tax as a process: `node --conditions=workspace-source main.ts [port]`.
 */
import { runSimulator } from '@carton/runtime/testing';
import { respond, wrongAnswers } from './stripe-tax.ts';

await runSimulator(respond, wrongAnswers, Number(process.argv[2] ?? 0));
