/**
 * The simulator's HTTP server: authentication, idempotency keys, faults, and the calls of the API it knows.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Account, type Intent } from './account.ts';
import { ApiError, invalid, missing } from './errors.ts';
import { type Fault, type FaultRates, type Faults, noRates, type Operation, randomFaults } from './faults.ts';
import { entriesOf, type Form, parseForm, textOf } from './form.ts';
import { IdempotencyKeys, type StoredResponse } from './idempotency.ts';
import { type LedgerEntry, ledgerOf } from './ledger.ts';
import { randomOf } from './random.ts';
import { type WebhookEndpoint, Webhooks } from './webhooks.ts';

export interface SimulatorOptions {
  port?: number;
  /** Of everything that is left to chance. */
  seed?: number;
  rates?: Partial<FaultRates>;
  /** Secret keys of the accounts, and where the events of each go. */
  accounts?: Record<string, readonly WebhookEndpoint[]>;
}

export interface ProviderSimulator {
  url: string;
  /** What goes wrong; set it to break off at a place of choice. By chance, as `rates` say, unless set. */
  faults: Faults;
  rates: FaultRates;
  /** Calls of the API in their order: `capture`, `refund`; those that were lost too. */
  calls: Operation[];
  webhooks: Webhooks;
  /** Of the first account unless its key is named. */
  account(key?: string): Account;
  ledger(key?: string): LedgerEntry[];
  /** Where the events of an account go from now on. */
  listen(endpoints: readonly WebhookEndpoint[], key?: string): void;
  /** Idempotency keys are forgotten, as they are after a day. */
  forgetKeys(): void;
  stop(): Promise<void>;
}

interface Holder {
  account: Account;
  endpoints: readonly WebhookEndpoint[];
  keys: IdempotencyKeys;
  duplicates: Map<string, number>;
}

/** A call as it was understood. */
interface Call {
  operation: Operation;
  /** Of the path; empty where it names none. */
  id: string;
  form: Form;
}

export const defaultKey = 'sk_test_simulator';

/** Starts a provider on a port of the loopback interface. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<ProviderSimulator> {
  const { port = 0, seed = 1, accounts = { [defaultKey]: [] } } = options;
  const random = randomOf(seed);
  const rates = { ...noRates, ...options.rates };
  const webhooks = new Webhooks(random, () => simulator.rates);
  const holders = new Map(Object.entries(accounts).map(([key, endpoints]) => [key, open(endpoints, webhooks)]));
  const holderOf = (key = [...holders.keys()][0] as string) => holders.get(key) as Holder;
  const server = createServer((request, response) => {
    serve(simulator, holders, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const simulator: ProviderSimulator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rates,
    faults: (operation, moment) => randomFaults(random, simulator.rates)(operation, moment),
    calls: [],
    webhooks,
    account: (key) => holderOf(key).account,
    ledger: (key) => ledgerOf(holderOf(key).account, holderOf(key).duplicates),
    listen: (endpoints, key) => {
      holderOf(key).endpoints = endpoints;
    },
    forgetKeys: () => {
      for (const { keys } of holders.values()) keys.forgetAll();
    },
    async stop() {
      await webhooks.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return simulator;
}

function open(endpoints: readonly WebhookEndpoint[], webhooks: Webhooks): Holder {
  const account = new Account((type, object) => webhooks.send(holder.endpoints, type, structuredClone(object)));
  const holder: Holder = { account, endpoints, keys: new IdempotencyKeys(), duplicates: new Map() };
  return holder;
}

async function serve(
  simulator: ProviderSimulator,
  holders: ReadonlyMap<string, Holder>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  const body = await text(request);
  try {
    if (url.pathname.startsWith('/simulator/')) return answer(response, await control(simulator, url.pathname, body));
    const call = understand(request.method ?? '', url, body);
    const holder = authenticate(holders, request, call);
    simulator.calls.push(call.operation);
    const kept = await perform(simulator, holder, call, request, `${url.pathname}?${body}`);
    if (kept === null) request.socket.destroy();
    else answer(response, kept.answer, kept.replayed);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    answer(response, error);
  }
}

function answer(response: ServerResponse, { status, body }: StoredResponse, replayed = false): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': `req_${Math.random().toString(36).slice(2)}`,
    ...(replayed && { 'idempotent-replayed': 'true' }),
  });
  response.end(JSON.stringify(body));
}

/** What a test asks of the simulator when it runs as a process of its own. */
async function control(simulator: ProviderSimulator, path: string, body: string): Promise<StoredResponse> {
  if (path === '/simulator/rates') Object.assign(simulator.rates, JSON.parse(body));
  else if (path === '/simulator/flush') await simulator.webhooks.flush();
  else if (path !== '/simulator/ledger') throw missing('page', path);
  const { delivered, abandoned, events } = simulator.webhooks;
  const webhooks = { events: events.length, delivered, abandoned };
  return { status: 200, body: { payments: simulator.ledger(), calls: simulator.calls.length, webhooks } };
}

const paths: [method: string, path: RegExp, operation: Operation][] = [
  ['POST', /^\/v1\/payment_intents$/, 'create'],
  ['GET', /^\/v1\/payment_intents\/(\w+)$/, 'retrieve'],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/confirm$/, 'confirm'],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/capture$/, 'capture'],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/cancel$/, 'cancel'],
  ['POST', /^\/v1\/refunds$/, 'refund'],
  ['GET', /^\/v1\/refunds$/, 'list_refunds'],
];

function understand(method: string, url: URL, body: string): Call {
  for (const [wanted, path, operation] of paths) {
    const match = method === wanted ? path.exec(url.pathname) : null;
    if (match) return { operation, id: match[1] ?? '', form: parseForm(method === 'GET' ? url.search.slice(1) : body) };
  }
  throw invalid(`Unrecognized request URL (${method}: ${url.pathname})`, undefined, undefined, 404);
}

/** The account of the secret key; for a shopper's browser, the one whose secret it has. */
function authenticate(
  holders: ReadonlyMap<string, Holder>,
  request: IncomingMessage,
  { operation, id, form }: Call,
): Holder {
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const byBrowser = operation === 'confirm' && key.startsWith('pk_');
  const holder = byBrowser
    ? [...holders.values()].find(({ account }) => account.intents.get(id)?.client_secret === textOf(form.client_secret))
    : holders.get(key);
  if (holder) return holder;
  throw new ApiError(401, {
    type: 'invalid_request_error',
    message: `Invalid API Key provided: ${key.slice(0, 7)}***`,
  });
}

/** Does a call once for its key; null when the connection is to break. */
async function perform(
  simulator: ProviderSimulator,
  holder: Holder,
  call: Call,
  request: IncomingMessage,
  fingerprint: string,
): Promise<{ answer: StoredResponse; replayed: boolean } | null> {
  const key = request.method === 'POST' ? String(request.headers['idempotency-key'] ?? '') : '';
  const known = key === '' ? null : holder.keys.take(key, fingerprint);
  const before = await suffer(simulator.faults(call.operation, 'before'));
  if (before) {
    if (key !== '' && !known) holder.keys.forget(key);
    return before.answer && { answer: before.answer, replayed: false };
  }
  if (known) countDuplicate(holder, call, known);
  const done = known ?? work(holder, call);
  const after = await suffer(simulator.faults(call.operation, 'after'));
  // A failure that came while it was worked on is what the key stands for from now on.
  const told = after?.answer ?? done;
  if (key !== '' && !known) holder.keys.keep(key, told);
  return after && !after.answer ? null : { answer: told, replayed: known !== null };
}

/** Lets a fault happen: null when the call goes on. */
async function suffer(fault: Fault | null): Promise<{ answer: StoredResponse | null } | null> {
  if (fault === null) return null;
  if ('delay' in fault) return pause(fault.delay, null);
  if ('lose' in fault) return { answer: null };
  const type = fault.status === 429 ? 'rate_limit_error' : 'api_error';
  return { answer: { status: fault.status, body: { error: { type, message: 'Something went wrong.' } } } };
}

function work(holder: Holder, call: Call): StoredResponse {
  try {
    return { status: 200, body: done(holder.account, call) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    countDuplicate(holder, call, error);
    return { status: error.status, body: error.body };
  }
}

function done(account: Account, { operation, id, form }: Call): unknown {
  const shown = (intent: Intent) => {
    const expand = Object.values(entriesOf(form.expand));
    return structuredClone(
      expand.includes('latest_charge') ? { ...intent, latest_charge: account.chargeOf(intent) } : intent,
    );
  };
  switch (operation) {
    case 'create':
      return shown(account.create(form));
    case 'retrieve':
      return shown(account.find(id));
    case 'confirm':
      return shown(account.confirm(id, form));
    case 'capture':
      return shown(account.capture(id, form));
    case 'cancel':
      return shown(account.cancel(id));
    case 'refund':
      return structuredClone(account.refund(form));
    case 'list_refunds': {
      const data = account.refunds.filter((refund) => refund.payment_intent === textOf(form.payment_intent)).reverse();
      return { object: 'list', url: '/v1/refunds', has_more: false, data };
    }
  }
}

/** Counts a call that would have moved money again: a capture of what is captured, a refund that is made. */
function countDuplicate(holder: Holder, { operation, id, form }: Call, { status, body }: StoredResponse): void {
  const isSecondCapture = operation === 'capture' && holder.account.intents.get(id)?.status === 'succeeded';
  const isSecondRefund =
    operation === 'refund' && (status === 200 || JSON.stringify(body).includes('already_refunded'));
  if (!isSecondCapture && !isSecondRefund) return;
  const reference = isSecondCapture ? id : (textOf(form.payment_intent) ?? '');
  holder.duplicates.set(reference, (holder.duplicates.get(reference) ?? 0) + 1);
}
