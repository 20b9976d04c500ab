/**
 * The simulator as a process: `node --conditions=workspace-source main.ts '<options as JSON>'`. Its first line of
 * output is its address. It stops on SIGTERM or when its standard input ends, so that it does not outlive its parent.
 */
import { type SimulatorOptions, startSimulator } from './server.ts';

const options: SimulatorOptions = JSON.parse(process.argv[2] ?? '{}');
const simulator = await startSimulator(options);
process.stdout.write(`${simulator.url}\n`);
const stop = () => simulator.stop().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.stdin.once('end', stop).resume();
