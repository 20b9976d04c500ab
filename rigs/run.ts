/**
 * `npm run rig -- <name>`: runs one rig, reports its progress, and ends with one line of JSON.
 */
import { parseArgs } from 'node:util';
import { thisMachine } from '../tools/load/measurement.ts';
import { type Rig, type RigOption, Skipped, UsageError } from './support/rig.ts';
import { runRig } from './support/stage.ts';

const rigs: Record<string, { about: string; load: () => Promise<{ rig: Rig }> }> = {
  crash: {
    about: 'kills the box and crashes PostgreSQL during checkouts: nothing lost or duplicated, recovery without help',
    load: () => import('./crash/rig.ts'),
  },
  switch: {
    about: 'restarts and upgrades a box during checkouts: no request fails, no connection is reset',
    load: () => import('./switch/rig.ts'),
  },
  backup: {
    about: 'takes and kills backups during checkouts, and restores them elsewhere: no acknowledged order is missing',
    load: () => import('./backup/rig.ts'),
  },
  payments: {
    about:
      'kills the box while a payment provider loses responses, and staff work: amounts, invoices and parcels agree',
    load: () => import('./payments/rig.ts'),
  },
  mails: {
    about: 'kills the box while it sends mails, and takes the mail server away: each mail arrives, in order',
    load: () => import('./mails/rig.ts'),
  },
  replicas: {
    about: 'restarts and kills two boxes behind HAProxy during checkouts: no request fails, events are delivered once',
    load: () => import('./replicas/rig.ts'),
  },
  plans: {
    about: 'calls every list with each filter in a store with a million orders: none reads more than its page',
    load: () => import('./plans/rig.ts'),
  },
  money: {
    about: 'random sales with taxes, promotions and shipping, refunded line by line: totals and refunds agree exactly',
    load: () => import('./money/rig.ts'),
  },
  races: {
    about: 'the tests of races with 200 rounds each: one winner, and exact sums',
    load: () => import('./races/rig.ts'),
  },
  timing: {
    about: 'responses to addresses with and without an account are the same, and take the same time',
    load: () => import('./timing/rig.ts'),
  },
  scale: {
    about: 'lists and checkouts in a store with a million orders take no longer than in a small one',
    load: () => import('./scale/rig.ts'),
  },
  services: {
    about: 'takes the tax and carrier services away while shoppers buy: orders go on, with amounts that are right',
    load: () => import('./services/rig.ts'),
  },
  tier: {
    about: 'crash, payments, mails and races in rounds for an hour, then one check of the books of all stores',
    load: () => import('./tier/rig.ts'),
  },
  media: {
    about: 'uploads hostile files, 100 large files at once, and takes the storage service away: harmless, nothing lost',
    load: () => import('./media/rig.ts'),
  },
  sitemap: {
    about: 'reads the sitemap of a store with 120,000 products: complete, and in memory that does not grow',
    load: () => import('./sitemap/rig.ts'),
  },
  hosting: {
    about: 'websites through Caddy with HTTP/1.1, 2 and 3, while a box and the control plane are killed: they go on',
    load: () => import('./hosting/rig.ts'),
  },
  registry: {
    about: 'pulls without a control plane, rotated keys, revoked licences, guesses, and kills: nothing is lost or told',
    load: () => import('./registry/rig.ts'),
  },
  installer: {
    about: 'kills the installer, fills its disk and cuts its network: one clear state, and the next run finishes',
    load: () => import('./installer/rig.ts'),
  },
  journey: {
    about: 'the binary on bare Debian systems: install, sell, upgrade while selling, reboot, uninstall; nothing lost',
    load: () => import('./journey/rig.ts'),
  },
  attack: {
    about:
      'attacks on an installed box, the control plane and the registry: each is refused, for the reason that is right',
    load: () => import('./attack/rig.ts'),
  },
  citus: {
    about: 'a box on a Citus cluster: its rate and that of plain PostgreSQL; a worker killed, a worker added',
    load: () => import('./citus/rig.ts'),
  },
};

const exitCodes =
  'Exit codes: 0 all promises held (or the rig was skipped; see the last line), 1 a promise broke or the rig failed, 2 wrong usage.';
const shared = `  --short    a few rounds, in under a minute (payments: a few minutes, since sessions must expire)
  --keep     keep the rig's folder, with its logs
  --help     this text; with a name, the options of that rig`;
const list = Object.entries(rigs).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`);
const help = `Usage: npm run rig -- <name> [--short] [options]\n\n${list.join('\n')}\n\n${shared}\n\n${exitCodes}`;

function helpOf(name: string, { about, options }: Rig): string {
  const lines = Object.entries(options).map(([option, { about, defaultValue, short, oneOf, isFolder }]) => {
    const values = isFolder ? 'folder' : oneOf ? oneOf.join(' or ') : 'number';
    const defaults = isFolder ? '' : ` (${defaultValue}${short === undefined ? '' : `, short ${short}`})`;
    return `  --${option} <${values}>\n             ${about}${defaults}`;
  });
  return `Usage: npm run rig -- ${name} [--short] [options]\n\n${about}\n\n${lines.join('\n')}\n${shared}\n\n${exitCodes}`;
}

/** Returns the value of each option, by default its default value. @throws UsageError */
function valuesOf(options: Rig['options'], passed: Record<string, unknown>, short: boolean): Record<string, string> {
  const choose = ([name, option]: [string, RigOption]) => {
    const defaultValue = (short ? option.short : undefined) ?? option.defaultValue;
    const value = String(passed[name] ?? defaultValue);
    if (option.isFolder) return [name, value];
    const isValid = option.oneOf ? option.oneOf.includes(value) : /^\d{1,7}$/.test(value);
    if (!isValid) throw new UsageError(`--${name} is ${option.oneOf?.join(' or ') ?? 'a whole number'}, not ${value}`);
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
  if (!rig) throw new UsageError(`unknown rig: ${name}`);
  const flags = ['short', 'keep', 'help'].map((flag) => [flag, { type: 'boolean' }] as const);
  const options = Object.keys(rig.options).map((option) => [option, { type: 'string' }] as const);
  let passed: Record<string, unknown>;
  try {
    passed = parseArgs({ args: rest, options: Object.fromEntries([...flags, ...options]) }).values;
  } catch (error) {
    // Its further sentences say how to pass an argument that begins with a hyphen.
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
  if (passed.help) {
    console.log(helpOf(name, rig));
    return 0;
  }
  const short = passed.short === true;
  const values = valuesOf(rig.options, passed, short);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupted.abort(new Error(`it was interrupted (${signal})`)));
  }
  const started = performance.now();
  const printLast = (end: object) => {
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    console.log(JSON.stringify({ rig: name, ...end, seconds, machine: thisMachine() }));
  };
  try {
    const { broken, counts } = await runRig(rig, {
      short,
      values,
      keep: passed.keep === true,
      say: (text) => console.log(text),
      signal: interrupted.signal,
    });
    console.log(broken.length === 0 ? 'all promises held' : `broken: ${broken.length}`);
    for (const line of broken) console.log(`  ${line}`);
    for (const [what, count] of Object.entries(counts)) console.log(`  ${what}: ${count}`);
    printLast({ held: broken.length === 0, broken, ...counts });
    return broken.length === 0 ? 0 : 1;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof Skipped) {
      console.log(`skipped: ${message}`);
      printLast({ skipped: message });
      return 0;
    }
    console.error(`the rig failed: ${message}`);
    printLast({ held: false, failed: message });
    return 1;
  }
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`npm run rig: ${error.message} (--help says what it takes)`);
  process.exit(2);
}
