/**
 * The simulator of VIES as a process: `node --conditions=workspace-source main.ts [port]`.
 */
import { runSimulator } from '@carton/runtime/testing';
import { oddAnswers, respond, wrongAnswers } from './vies.ts';

await runSimulator(respond, { ...wrongAnswers, ...oddAnswers }, Number(process.argv[2] ?? 0));
