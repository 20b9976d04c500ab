/**
 * `npm run bench -- <name>`: runs one measurement and ends with one line of JSON.
 */
import { runCommand, UsageError } from '../tools/command-line.ts';
import { type Measurement, thisMachine } from '../tools/load/measurement.ts';
import { type Contest, measureAgainst } from './against.ts';

interface Bench {
  about: string;
  /** What its further arguments are, where it takes any. */
  takes?: string;
  load: () => Promise<{ measure: (more: readonly string[]) => Promise<Measurement>; contest?: Contest }>;
}

const benches: Record<string, Bench> = {
  cart: {
    about: 'GET /cart with 500 lines, 20 promotions and 10 taxes, and with 60 lines',
    load: () => import('./cart.ts'),
  },
  checkout: {
    about: 'orders per second of POST /checkout, and of pgbench with the same statements',
    load: () => import('./checkout.ts'),
  },
  flow: {
    about: "orders per second of a guest's complete flow, and of a bare Koa and pg server with the same statements",
    load: () => import('./flow.ts'),
  },
  images: {
    about: 'files per second of GET /media/:id/:file, and of a plain Node.js server of the same file',
    load: () => import('./images.ts'),
  },
  install: {
    about: 'a first install until the box is healthy, and npm install of the same packages',
    load: () => import('./install.ts'),
  },
  neighbours: {
    about: 'GET /products of a tenant while a client of another tenant does its worst, and beside nobody: p99',
    takes: '[kind [seconds]]',
    load: () => import('./neighbours.ts'),
  },
  products: {
    about: 'GET /products, twelve with prices, and a bare Koa and pg server with the same statements',
    load: () => import('./products.ts'),
  },
  resize: {
    about: 'the first request for a sized variant of 12 megapixels, and sharp alone',
    load: () => import('./resize.ts'),
  },
  resolve: {
    about: 'GET /boxes/resolve with a million domains, and with a thousand',
    load: () => import('./resolve.ts'),
  },
  responses: {
    about: 'a page of a hundred orders written by its schema, and by JSON.stringify',
    load: () => import('./responses.ts'),
  },
  routing: {
    about: 'CPU per request with 372 routes, and with 6',
    load: () => import('./routing.ts'),
  },
  start: {
    about: 'start of an installed box until /health is 200, and of a bare Koa and pg server',
    load: () => import('./start.ts'),
  },
  tenancy: {
    about: 'the cost of row-level security in GET /products and POST /checkout',
    load: () => import('./tenancy.ts'),
  },
  workers: {
    about: "GET /products and a guest's complete flow with two workers, and with one",
    load: () => import('./workers.ts'),
  },
};

const list = Object.entries(benches).map(([name, { about, takes = '' }]) =>
  `  ${name.padEnd(10)} ${about} ${takes}`.trimEnd(),
);
const help = `Usage: npm run bench -- <name> [--against <commits>]

${list.join('\n')}

  --against <commits>  checkout, flow and products: beside the boxes of one or more commits, separated by commas, in
                       alternating rounds on one server
  --help               this text

Exit codes: 0 measured, 1 could not measure, 2 wrong usage.`;

const options = { against: { type: 'string' } } as const;

const line = { name: 'npm run bench', help, options, most: Number.POSITIVE_INFINITY };
await runCommand(line, async ({ values, positionals: [name, ...rest] }) => {
  if (name === undefined) throw new UsageError('which measurement?');
  const bench = benches[name];
  if (!bench || (rest.length > 0 && !bench.takes))
    throw new UsageError(`unknown measurement: ${[name, ...rest].join(' ')}`);
  const { measure, contest } = await bench.load();
  if (values.against !== undefined && !contest) throw new UsageError(`${name} is not measured against a commit`);
  const measured = await (values.against !== undefined && contest
    ? measureAgainst(name, values.against.split(','), contest)
    : measure(rest)
  ).catch((error: Error) => {
    throw new Error(`could not measure: ${error.message}`, { cause: error });
  });
  console.log(JSON.stringify({ ...measured, machine: thisMachine() }));
  return 0;
});
