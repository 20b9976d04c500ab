/**
 * The simulator's HTTP server: authentication, idempotency keys, faults and the supported calls of the API.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Account, type Dispute, type Intent } from './account.ts';
import { ApiError, invalid, notFound } from './errors.ts';
import { type Fault, type FaultRates, type Faults, noRates, type Operation, randomFaults } from './faults.ts';
import { entriesOf, type Form, parseForm, textOf } from './form.ts';
import { IdempotencyKeys, type StoredResponse } from './idempotency.ts';
import { type LedgerEntry, ledgerOf } from './ledger.ts';
import { randomOf } from './random.ts';
import { type WebhookEndpoint, Webhooks } from './webhooks.ts';

export interface SimulatorOptions {
  port?: number;
  /** Of the random faults and delays. */
  seed?: number;
  rates?: Partial<FaultRates>;
  /** The endpoints that receive each account's events, by secret key. */
  accounts?: Record<string, readonly WebhookEndpoint[]>;
}

export interface ProviderSimulator {
  url: string;
  /** Decides which calls fail: randomly, by `rates`, unless a test replaces it. */
  faults: Faults;
  rates: FaultRates;
  /** API calls in order, such as `capture`; including those that were lost. */
  calls: Operation[];
  webhooks: Webhooks;
  /** The account of a secret key, by default the first one. */
  account(key?: string): Account;
  ledger(key?: string): LedgerEntry[];
  /** Replaces the endpoints that receive an account's events. */
  listen(endpoints: readonly WebhookEndpoint[], key?: string): void;
  /** Forgets all idempotency keys, as Stripe does after a day. */
  forgetKeys(): void;
  stop(): Promise<void>;
}

interface AccountState {
  account: Account;
  endpoints: readonly WebhookEndpoint[];
  keys: IdempotencyKeys;
  duplicates: Map<string, number>;
}

/** A parsed API call. */
interface Call {
  operation: Operation;
  /** From the path; empty if it has none. */
  id: string;
  form: Form;
}

export const defaultKey = 'sk_test_simulator';

/** Starts a simulator on a loopback port. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<ProviderSimulator> {
  const { port = 0, seed = 1, accounts: endpointsByKey = { [defaultKey]: [] } } = options;
  const random = randomOf(seed);
  const rates = { ...noRates, ...options.rates };
  const webhooks = new Webhooks(random, () => simulator.rates);
  const accounts = new Map(
    Object.entries(endpointsByKey).map(([key, endpoints]) => [key, openAccount(endpoints, webhooks)]),
  );
  const stateOf = (key = [...accounts.keys()][0] as string) => accounts.get(key) as AccountState;
  const server = createServer((request, response) => {
    serve(simulator, accounts, request, response).catch(() => response.destroy());
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
    account: (key) => stateOf(key).account,
    ledger: (key) => ledgerOf(stateOf(key).account, stateOf(key).duplicates),
    listen: (endpoints, key) => {
      stateOf(key).endpoints = endpoints;
    },
    forgetKeys: () => {
      for (const { keys } of accounts.values()) keys.forgetAll();
    },
    async stop() {
      await webhooks.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return simulator;
}

function openAccount(endpoints: readonly WebhookEndpoint[], webhooks: Webhooks): AccountState {
  const account = new Account((type, object) => webhooks.send(state.endpoints, type, structuredClone(object)));
  const state: AccountState = { account, endpoints, keys: new IdempotencyKeys(), duplicates: new Map() };
  return state;
}

async function serve(
  simulator: ProviderSimulator,
  accounts: ReadonlyMap<string, AccountState>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  const body = await text(request);
  try {
    if (url.pathname.startsWith('/simulator/')) return respond(response, await control(simulator, url.pathname, body));
    const call = parseCall(request.method ?? '', url, body);
    const state = authenticate(accounts, request, call);
    simulator.calls.push(call.operation);
    const outcome = await perform(simulator, state, call, request, `${url.pathname}?${body}`);
    if (outcome === null) request.socket.destroy();
    else respond(response, outcome.response, outcome.replayed);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    respond(response, error);
  }
}

function respond(response: ServerResponse, { status, body }: StoredResponse, replayed = false): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': `req_${Math.random().toString(36).slice(2)}`,
    ...(replayed && { 'idempotent-replayed': 'true' }),
  });
  response.end(JSON.stringify(body));
}

/** Control requests of tests, when the simulator is a process of its own. */
async function control(simulator: ProviderSimulator, path: string, body: string): Promise<StoredResponse> {
  if (path === '/simulator/rates') Object.assign(simulator.rates, JSON.parse(body));
  else if (path === '/simulator/flush') await simulator.webhooks.flush();
  else if (path === '/simulator/dispute') return disputeAsked(simulator, JSON.parse(body));
  else if (path !== '/simulator/ledger') throw notFound('page', path);
  const { delivered, abandoned, events } = simulator.webhooks;
  const webhooks = { events: events.length, delivered, abandoned };
  return { status: 200, body: { payments: simulator.ledger(), calls: simulator.calls.length, webhooks } };
}

/**
 * Opens the dispute of an intent in the first account, or changes the one that it has. Null before anything is captured, or
 * once all is refunded.
 */
function disputeAsked(
  simulator: ProviderSimulator,
  {
    intent,
    amount = Number.POSITIVE_INFINITY,
    status,
  }: { intent: string; amount?: number; status?: Dispute['status'] },
): StoredResponse {
  const account = simulator.account();
  const known = account.disputes.find((each) => each.payment_intent === intent);
  if (known && status) account.changeDispute(known, status);
  if (known || status) return { status: 200, body: known ?? null };
  const charge = account.chargeOf(account.find(intent));
  const left = charge?.captured ? charge.amount - charge.amount_refunded : 0;
  return { status: 200, body: left > 0 ? account.dispute(intent, { amount: Math.min(amount, left) }) : null };
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

function parseCall(method: string, url: URL, body: string): Call {
  for (const [expected, path, operation] of paths) {
    const match = method === expected ? path.exec(url.pathname) : null;
    if (match) return { operation, id: match[1] ?? '', form: parseForm(method === 'GET' ? url.search.slice(1) : body) };
  }
  throw invalid(`Unrecognized request URL (${method}: ${url.pathname})`, undefined, undefined, 404);
}

/** The account of the secret key, or of the client secret that a shopper's browser sends. */
function authenticate(
  accounts: ReadonlyMap<string, AccountState>,
  request: IncomingMessage,
  { operation, id, form }: Call,
): AccountState {
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const isBrowser = operation === 'confirm' && key.startsWith('pk_');
  const state = isBrowser
    ? [...accounts.values()].find(
        ({ account }) => account.intents.get(id)?.client_secret === textOf(form.client_secret),
      )
    : accounts.get(key);
  if (state) return state;
  throw new ApiError(401, {
    type: 'invalid_request_error',
    message: `Invalid API Key provided: ${key.slice(0, 7)}***`,
  });
}

/** Performs a call once per idempotency key; null when the connection is to be broken. */
async function perform(
  simulator: ProviderSimulator,
  state: AccountState,
  call: Call,
  request: IncomingMessage,
  fingerprint: string,
): Promise<{ response: StoredResponse; replayed: boolean } | null> {
  const key = request.method === 'POST' ? String(request.headers['idempotency-key'] ?? '') : '';
  const known = key === '' ? null : state.keys.claim(key, fingerprint);
  const before = await applyFault(simulator.faults(call.operation, 'before'));
  if (before) {
    if (key !== '' && !known) state.keys.forget(key);
    return before.response && { response: before.response, replayed: false };
  }
  if (known) countDuplicate(state, call, known);
  const result = known ?? run(state, call);
  const after = await applyFault(simulator.faults(call.operation, 'after'));
  // A fault after processing is stored as the key's response.
  const sent = after?.response ?? result;
  if (key !== '' && !known) state.keys.store(key, sent);
  return after && !after.response ? null : { response: sent, replayed: known !== null };
}

/** Applies a fault; null when the call continues. */
async function applyFault(fault: Fault | null): Promise<{ response: StoredResponse | null } | null> {
  if (fault === null) return null;
  if ('delay' in fault) return pause(fault.delay, null);
  if ('lose' in fault) return { response: null };
  const type = fault.status === 429 ? 'rate_limit_error' : 'api_error';
  return { response: { status: fault.status, body: { error: { type, message: 'Something went wrong.' } } } };
}

function run(state: AccountState, call: Call): StoredResponse {
  try {
    return { status: 200, body: execute(state.account, call) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    countDuplicate(state, call, error);
    return { status: error.status, body: error.body };
  }
}

function execute(account: Account, { operation, id, form }: Call): unknown {
  const present = (intent: Intent) => {
    const expand = Object.values(entriesOf(form.expand));
    return structuredClone(
      expand.includes('latest_charge') ? { ...intent, latest_charge: account.chargeOf(intent) } : intent,
    );
  };
  switch (operation) {
    case 'create':
      return present(account.create(form));
    case 'retrieve':
      return present(account.find(id));
    case 'confirm':
      return present(account.confirm(id, form));
    case 'capture':
      return present(account.capture(id, form));
    case 'cancel':
      return present(account.cancel(id));
    case 'refund':
      return structuredClone(account.refund(form));
    case 'list_refunds': {
      const data = account.refunds.filter((refund) => refund.payment_intent === textOf(form.payment_intent)).reverse();
      return { object: 'list', url: '/v1/refunds', has_more: false, data };
    }
  }
}

/** Counts a call that would have moved money again: a second capture, or the repetition of a refund. */
function countDuplicate(state: AccountState, { operation, id, form }: Call, { status, body }: StoredResponse): void {
  const isSecondCapture = operation === 'capture' && state.account.intents.get(id)?.status === 'succeeded';
  const isSecondRefund =
    operation === 'refund' && (status === 200 || JSON.stringify(body).includes('already_refunded'));
  if (!isSecondCapture && !isSecondRefund) return;
  const reference = isSecondCapture ? id : (textOf(form.payment_intent) ?? '');
  state.duplicates.set(reference, (state.duplicates.get(reference) ?? 0) + 1);
}
