/**
 * Keeps a tenant whose requests cost a lot from delaying those of others. Each process has one event loop: where a
 * tenant's requests have lately occupied it for long and other tenants have requests too, those of the costly tenant
 * begin one after the other, each after a pause as long as the last one has taken. A request of another tenant then waits
 * for one of them and not for all. Other requests never wait.
 */
import type { ServerResponse } from 'node:http';
import { unavailable } from './problems.ts';

/** Notified of the requests that wait. */
export interface WaitObserver {
  waits(): void;
  /** Called once for each that has waited. @param milliseconds for how long */
  waited(outcome: WaitOutcome, milliseconds: number): void;
  /** Called for each that is refused since too many wait. */
  refused(): void;
}
/** It began, or its client closed the connection before. */
export type WaitOutcome = 'begun' | 'closed';

export interface FairShareOptions {
  /** Milliseconds of processor time from which a request is costly. */
  costly?: number;
  /** Requests of one tenant that wait, at most. */
  waiting?: number;
  /** Returns the milliseconds that this thread has computed. */
  computed?: () => number;
}

/** What the cost of an earlier request still counts for after each further one. */
const remembered = 0.9;
/** Milliseconds after which a tenant's last request no longer counts as one that others could delay. */
const presence = 1000;
/** Milliseconds after which a request has had its turn: it waits for something else, such as a payment provider. */
const turn = 1000;
/** Milliseconds between looks at what waits: no request may end for as long as a turn. */
const look = 100;
/** The longest pause in milliseconds. */
const longestPause = 200;

interface Tenant {
  /** Its requests at work, with the time of their begin. */
  atWork: Set<{ since: number }>;
  /** What begins the next ones. */
  waiting: Set<() => void>;
  lastSeen: number;
  /** Milliseconds of processor time that its requests cost lately: the most, less what came after. */
  cost: number;
  /** When the next request may begin. */
  pausedUntil: number;
}

export class FairShare {
  readonly #costly: number;
  readonly #maxWaiting: number;
  readonly #computed: () => number;
  readonly #tenants = new Map<string, Tenant>();
  #atWork = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ costly = 10, waiting = 1000, computed = threadTime }: FairShareOptions = {}) {
    this.#costly = costly;
    this.#maxWaiting = waiting;
    this.#computed = computed;
  }

  /**
   * Runs the work of a request when its tenant has its turn.
   * @param response a request whose client closes the connection waits no more
   * @param observer told if the request waits
   * @throws unavailable (503) while too many requests of the tenant wait
   */
  async run<T>(
    tenantId: string,
    response: ServerResponse,
    work: () => Promise<T>,
    observer?: WaitObserver,
  ): Promise<T> {
    const tenant = this.#see(tenantId);
    if (this.#mustWait(tenant)) await this.#wait(tenant, response, observer);
    const begun = { since: performance.now() };
    tenant.atWork.add(begun);
    const sharedBy = ++this.#atWork;
    const before = this.#computed();
    try {
      return await work();
    } finally {
      const computed = this.#computed() - before;
      // Those at work at the same time have shared it.
      const cost = computed / Math.max(sharedBy, this.#atWork);
      tenant.atWork.delete(begun);
      this.#atWork--;
      tenant.cost = Math.max(cost, tenant.cost * remembered);
      if (tenant.waiting.size > 0) this.#pause(tenant, computed);
    }
  }

  #see(tenantId: string): Tenant {
    let tenant = this.#tenants.get(tenantId);
    if (!tenant) {
      this.#forgetAbsent();
      tenant = { atWork: new Set(), waiting: new Set(), lastSeen: 0, cost: 0, pausedUntil: 0 };
      this.#tenants.set(tenantId, tenant);
    }
    tenant.lastSeen = performance.now();
    return tenant;
  }

  #forgetAbsent(): void {
    for (const [id, tenant] of this.#tenants) {
      if (!isPresent(tenant) && tenant.atWork.size === 0 && tenant.waiting.size === 0) this.#tenants.delete(id);
    }
  }

  #mustWait(tenant: Tenant): boolean {
    if (!this.#delaysOthers(tenant)) return false;
    return tenant.waiting.size > 0 || isAtWork(tenant) || performance.now() < tenant.pausedUntil;
  }

  #delaysOthers(tenant: Tenant): boolean {
    if (tenant.cost < this.#costly) return false;
    for (const each of this.#tenants.values()) if (each !== tenant && isPresent(each)) return true;
    return false;
  }

  #wait({ waiting }: Tenant, response: ServerResponse, observer?: WaitObserver): Promise<void> {
    // It has been closed while the tenant was looked up, and is not closed again.
    if (response.destroyed) throw closedByClient();
    if (waiting.size >= this.#maxWaiting) {
      observer?.refused();
      throw unavailable('Too many requests of this store wait.', { headers: { 'Retry-After': '5' } });
    }
    this.#timer ??= setInterval(() => this.#look(), look).unref();
    observer?.waits();
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const begin = () => {
        leave('begun');
        resolve();
      };
      // Who does not wait for the response must not get the work either.
      const close = () => {
        leave('closed');
        reject(closedByClient());
      };
      const leave = (outcome: WaitOutcome) => {
        waiting.delete(begin);
        response.off('close', close);
        observer?.waited(outcome, performance.now() - since);
      };
      waiting.add(begin);
      response.once('close', close);
    });
  }

  #pause(tenant: Tenant, milliseconds: number): void {
    const pause = Math.min(milliseconds, longestPause);
    tenant.pausedUntil = performance.now() + pause;
    setTimeout(() => this.#admit(tenant), pause).unref();
  }

  #look(): void {
    const waiting = [...this.#tenants.values()].filter((tenant) => tenant.waiting.size > 0);
    for (const tenant of waiting) this.#admit(tenant);
    if (waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Begins the next request that waits; all of them where they delay nobody. */
  #admit(tenant: Tenant): void {
    const isFree = !this.#delaysOthers(tenant);
    for (const begin of tenant.waiting) {
      if (!isFree && isAtWork(tenant)) return;
      begin();
      if (!isFree) return;
    }
  }
}

function closedByClient() {
  return unavailable('The client has closed the connection.');
}

function isPresent({ lastSeen }: Tenant): boolean {
  return performance.now() - lastSeen < presence;
}

function isAtWork({ atWork }: Tenant): boolean {
  const now = performance.now();
  for (const { since } of atWork) if (now - since < turn) return true;
  return false;
}

/** Processor time, since the event loop also counts as active while another process has the processor. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
