/**
 * `npm run rig -- <name>`: runs one rig, tells how far it has come, and ends with one line of JSON.
 */
import { parseArgs } from 'node:util';
import { thisMachine } from '../tools/load/measurement.ts';
import { type Rig, type RigOption, Skipped, UsageError } from './rig.ts';
import { runRig } from './stage.ts';

const rigs: Record<string, { about: string; load: () => Promise<{ rig: Rig }> }> = {
  crash: {
    about: 'kill -9 of the box and crashes of PostgreSQL under checkouts: nothing lost, nothing twice, back by itself',
    load: () => import('./crash.ts'),
  },
  payments: {
    about:
      'kill -9 of the box while a provider that loses answers is paid: the money agrees, nothing twice or forgotten',
    load: () => import('./payments.ts'),
  },
  replicas: {
    about: 'two boxes behind HAProxy, restarted and killed in turn under checkouts: no request fails, events come once',
    load: () => import('./replicas.ts'),
  },
  plans: {
    about: 'every list with each filter over a shop with a million orders: what is read is what a page needs',
    load: () => import('./plans.ts'),
  },
  citus: {
    about:
      'a box on a Citus cluster: its rate beside plain PostgreSQL, a worker killed, a worker added under checkouts',
    load: () => import('./citus.ts'),
  },
};

const exitCodes =
  'Exit codes: 0 every promise held (or the rig was skipped, which the last line says), 1 one broke or the rig failed, 2 wrong usage.';
const shared = `  --short    a few rounds, in under a minute (payments: in a few, since what is left has to wait for its time)
  --keep     leaves the rig's folder, with its logs
  --help     this text, or with a name the options of that rig`;
const list = Object.entries(rigs).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`);
const help = `npm run rig -- <name> [--short] [options]\n\n${list.join('\n')}\n\n${shared}\n\n${exitCodes}`;

function helpOf(name: string, { about, options }: Rig): string {
  const lines = Object.entries(options).map(([option, { about, usual, short, oneOf }]) => {
    const values = oneOf ? oneOf.join(' or ') : 'number';
    return `  --${option} <${values}>\n             ${about} (${usual}${short === undefined ? '' : `, short ${short}`})`;
  });
  return `npm run rig -- ${name} [--short] [options]\n\n${about}\n\n${lines.join('\n')}\n${shared}\n\n${exitCodes}`;
}

/** The value of each option, the usual one where none was given. @throws UsageError */
function valuesOf(options: Rig['options'], given: Record<string, unknown>, short: boolean): Record<string, string> {
  const choose = ([name, option]: [string, RigOption]) => {
    const usual = (short ? option.short : undefined) ?? option.usual;
    const value = String(given[name] ?? usual);
    const isRight = option.oneOf ? option.oneOf.includes(value) : /^\d{1,6}$/.test(value);
    if (!isRight) throw new UsageError(`--${name} is ${option.oneOf?.join(' or ') ?? 'a whole number'}, not ${value}`);
    return [name, value];
  };
  return Object.fromEntries(Object.entries(options).map(choose));
}

async function main([name, ...rest]: string[]): Promise<number> {
  if (name === undefined) throw new UsageError('which rig?');
  if (name === '--help') {
    console.log(help);
    return 0;
  }
  const { rig } = (await rigs[name]?.load()) ?? {};
  if (!rig) throw new UsageError(`there is no rig called ${name}`);
  const flags = ['short', 'keep', 'help'].map((flag) => [flag, { type: 'boolean' }] as const);
  const options = Object.keys(rig.options).map((option) => [option, { type: 'string' }] as const);
  let given: Record<string, unknown>;
  try {
    given = parseArgs({ args: rest, options: Object.fromEntries([...flags, ...options]) }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (given.help) {
    console.log(helpOf(name, rig));
    return 0;
  }
  const short = given.short === true;
  const values = valuesOf(rig.options, given, short);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupted.abort(new Error(`it was interrupted (${signal})`)));
  }
  const begun = performance.now();
  const last = (end: object) => {
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    console.log(JSON.stringify({ rig: name, ...end, seconds, machine: thisMachine() }));
  };
  try {
    const { broken, counts } = await runRig(rig, {
      short,
      values,
      keep: given.keep === true,
      say: (text) => console.log(text),
      signal: interrupted.signal,
    });
    console.log(broken.length === 0 ? 'every promise held' : `broken: ${broken.length}`);
    for (const line of broken) console.log(`  ${line}`);
    for (const [what, count] of Object.entries(counts)) console.log(`  ${what}: ${count}`);
    last({ held: broken.length === 0, broken, ...counts });
    return broken.length === 0 ? 0 : 1;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof Skipped) {
      console.log(`skipped: ${message}`);
      last({ skipped: message });
      return 0;
    }
    console.error(`the rig failed: ${message}`);
    last({ held: false, failed: message });
    return 1;
  }
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${help}`);
  process.exit(2);
}
