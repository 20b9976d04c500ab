/**
 * Compares a large store with a small one in the same box: the latency of lists with each declared filter and sort, with
 * each pair of them, and of checkouts. Requests go to the stores in turn, so that both get the same share of whatever else
 * the machine does.
 *
 * A page with one filter or sort, and a checkout, may take little longer in the large store. A pair of filters may have to
 * pass by more rows until a page is full: how many is bounded, and so is its time, but a small store has fewer rows than
 * the bound. Their ratio is printed only.
 *
 * Items cost time in a store of any size, and a page of the small store has fewer where a filter matches few rows there.
 * Such a call is compared with the unfiltered list of the small store, if that is slower. The table shows the ratio to the
 * same call as well, and the last line counts the calls that are within the limit only by that rule.
 */
import { openDatabase } from '@carton/runtime/service';
import { cartHeaders, checkoutBody, prepareCarts } from '../../tools/load/checkouts.ts';
import { type LoadRequest, repeat, type Send } from '../../tools/load/load.ts';
import { percentile, rounded } from '../../tools/load/measurement.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { type ComparedCall, comparedCalls } from './calls.ts';
import { openStores } from './stores.ts';

/** The most that the 99th percentile of the large store may be, as a multiple of the small one's, for one filter or sort. */
const maxRatio = 1.5;
/** The most milliseconds that a list with several filters may take (99th percentile). */
const maxCombined = 100;
/** How often a call beyond a limit is measured again, to tell it from a disturbance of the machine. */
const maxRepeats = 4;
const warmUps = 5;

export const rig: Rig = {
  about: 'Compares the latency of lists and checkouts in a large store with that in a small one.',
  options: {
    products: { about: 'products of the large store', defaultValue: '100000', short: '400' },
    orders: { about: 'orders of the large store', defaultValue: '1000000', short: '2000' },
    members: { about: 'members of the large store', defaultValue: '200000', short: '400' },
    data: {
      about: 'keeps the stores in this folder, or measures those that an earlier run left there',
      defaultValue: '',
      isFolder: true,
    },
    repetitions: { about: 'requests of each call and store', defaultValue: '300', short: '3' },
  },
  timeLimit: (stage) => (stage.short ? 600 : 14_400),
  async run(stage) {
    const { url, databaseUrl, ...stores } = await openStores(stage);
    const repetitions = stage.number('repetitions');
    const database = openDatabase({ url: databaseUrl });
    stage.atEnd('the connections', () => database.close());
    const carts = Array.from({ length: repetitions * (1 + maxRepeats) + warmUps }, (_, index) => index);
    const tokens = {
      small: await prepareCarts(database, stores.small, carts),
      large: await prepareCarts(database, stores.large, carts),
    };
    let nextCart = 0;
    const checkout = (name: 'small' | 'large', cart: number): LoadRequest => ({
      url: `${url}/checkout`,
      method: 'POST',
      headers: cartHeaders(stores[name].tenantHeaders, tokens[name](cart)),
      body: checkoutBody,
    });
    const measured: Measured[] = [];
    const unfiltered = new Map<string, Measured>();
    let rejected = 0;
    const measureAll = async (send: Send) => {
      const calls = await comparedCalls(url, send, stores);
      stage.say(`measuring ${calls.length} calls, ${repetitions} times in each store`);
      for (const [index, call] of calls.entries()) {
        if (index % 50 === 49) stage.say(`${index + 1} of ${calls.length} calls`);
        const next = () => ({ small: call.small, large: call.large });
        const reference = unfiltered.get(call.path);
        const result = await measure(stage, send, { call, status: 200, repetitions, next, reference });
        if (result) measured.push(result);
        else rejected++;
        if (result && call.filters === 0) unfiltered.set(call.path, result);
        for (const fault of result ? faultsOf(result) : []) stage.say(`${call.name}: ${fault}`);
      }
      const next = () => {
        const cart = nextCart++;
        return { small: checkout('small', cart), large: checkout('large', cart) };
      };
      const call = { name: 'POST /checkout', filters: 0 };
      const result = await measure(stage, send, { call, status: 201, repetitions, next });
      if (!result) throw new Error('checkouts failed');
      measured.push(result);
    };
    await repeat({ url: url, clients: 1, times: 1 }, measureAll);
    return findingsOf(stage, measured, rejected);
  },
};

interface Measured {
  name: string;
  filters: number;
  /** Milliseconds. */
  small: number[];
  large: number[];
  /** Items of the page; 0 for other responses. */
  items: { small: number; large: number };
  /** The unfiltered list. */
  reference: Measured | undefined;
}

interface Trial {
  call: Pick<ComparedCall, 'name' | 'filters'>;
  /** The expected status. */
  status: number;
  repetitions: number;
  /** Returns the next pair of requests. */
  next(): { small: LoadRequest; large: LoadRequest };
  reference?: Measured | undefined;
}

/** Null for a call that the box rejects in one of the stores: not every pair of filters is allowed. */
async function measure(stage: Stage, send: Send, trial: Trial): Promise<Measured | null> {
  const { call, status, repetitions, next, reference } = trial;
  const items = { small: 0, large: 0 };
  const measured: Measured = { name: call.name, filters: call.filters, small: [], large: [], items, reference };
  const timed = async (store: 'small' | 'large', request: LoadRequest) => {
    stage.signal.throwIfAborted();
    const started = performance.now();
    const response = await send(request);
    const milliseconds = performance.now() - started;
    if (response.status !== status && response.status !== 400) {
      throw new Error(`${request.url} returned ${response.status}: ${response.body}`);
    }
    if (response.status !== status) return null;
    items[store] = JSON.parse(response.body).items?.length ?? 0;
    return milliseconds;
  };
  for (let count = 0; count < warmUps; count++) {
    const { small, large } = next();
    if ((await timed('small', small)) === null || (await timed('large', large)) === null) return null;
  }
  for (let repeats = 0; repeats <= maxRepeats; repeats++) {
    for (let count = 0; count < repetitions; count++) {
      const requests = next();
      // Going second may be an advantage, so each store is second equally often.
      const order = count % 2 ? (['small', 'large'] as const) : (['large', 'small'] as const);
      for (const store of order) {
        const milliseconds = await timed(store, requests[store]);
        if (milliseconds === null) throw new Error(`${requests[store].url} is rejected now`);
        measured[store].push(milliseconds);
      }
    }
    if (stage.short || faultsOf(measured).length === 0) break;
  }
  return measured;
}

/** Milliseconds of the small store that the large one is compared with (99th percentile). */
function comparable({ small, items, reference }: Measured): number {
  const own = percentile(small, 99);
  return items.small < items.large && reference ? Math.max(own, percentile(reference.small, 99)) : own;
}

function ratioOf(measured: Measured): number {
  return percentile(measured.large, 99) / comparable(measured);
}

/** The ratio to the same call in the small store, whatever it finds there. */
function ownRatioOf({ small, large }: Measured): number {
  return percentile(large, 99) / percentile(small, 99);
}

const isCombined = ({ filters }: Pick<Measured, 'filters'>) => filters > 1;

function faultsOf(measured: Measured): string[] {
  if (isCombined(measured)) {
    const slowest = percentile(measured.large, 99);
    return slowest > maxCombined ? [`${rounded(slowest, 1)} ms (99th percentile)`] : [];
  }
  const ratio = ratioOf(measured);
  return ratio > maxRatio ? [`${rounded(ratio, 2)} times the small store's 99th percentile`] : [];
}

function findingsOf(stage: Stage, measured: readonly Measured[], rejected: number): Findings {
  const sorted = measured.toSorted((a, b) => ratioOf(b) - ratioOf(a));
  const column = (value: number, digits = 1) => value.toFixed(digits).padStart(8);
  stage.say(
    'milliseconds: p50 small, p50 large, p99 small, p99 large; ratio of p99, to the same call; items small, items large',
  );
  for (const each of sorted) {
    const figures = [50, 99].flatMap((percent) => [percentile(each.small, percent), percentile(each.large, percent)]);
    stage.say(
      `${figures.map((value) => column(value)).join('')}${column(ratioOf(each), 2)}${column(ownRatioOf(each), 2)}${column(each.items.small, 0)}${column(each.items.large, 0)}  ${each.name}`,
    );
  }
  const broken = sorted.flatMap((each) => faultsOf(each).map((fault) => `${each.name}: ${fault}`));
  const combined = sorted.filter(isCombined);
  const slowest = Math.max(...combined.map(({ large }) => percentile(large, 99)));
  const single = sorted.filter((each) => !isCombined(each));
  const ratios = single.map(ratioOf);
  return {
    broken,
    counts: {
      calls: measured.length,
      rejected,
      medianRatio: rounded(percentile(ratios, 50), 2),
      highestRatio: rounded(ratios[0] ?? 0, 2),
      heldByUnfiltered: single.filter((each) => ratioOf(each) <= maxRatio && ownRatioOf(each) > maxRatio).length,
      slowestCombined: rounded(slowest, 1),
      highestRatioCombined: rounded(combined[0] ? ratioOf(combined[0]) : 0, 2),
    },
  };
}
