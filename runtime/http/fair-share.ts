/**
 * Keeps a tenant with costly or many requests from delaying those of others. Each process has one event loop and few
 * connections to the database. Where other tenants have requests too, only some of a tenant's are at work at the same
 * time, fewer the more they occupy the event loop. While a request of another tenant is at work, or where they take long,
 * each begins after a pause as long as the last one has taken, so that the other gets every second turn at least. A tenant
 * that is alone never waits.
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
  /**
   * Requests of one tenant at work at the same time, if they cost little; of others, as many as are `costly` together.
   * Fewer than connections to the database.
   */
  together?: number;
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
/** Milliseconds of processor time that need no pause: timers are not more precise. */
const unnoticed = 2;
/** The longest pause in milliseconds. */
const longestPause = 200;

/** A request at work, with the time of its begin. */
interface AtWork {
  since: number;
}

interface Tenant {
  atWork: Set<AtWork>;
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
  readonly #together: number;
  readonly #maxWaiting: number;
  readonly #computed: () => number;
  readonly #tenants = new Map<string, Tenant>();
  #atWork = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ costly = 10, together = 6, waiting = 1000, computed = threadTime }: FairShareOptions = {}) {
    this.#costly = costly;
    this.#together = together;
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
    const begun = this.#mustWait(tenant) ? await this.#wait(tenant, response, observer) : begin(tenant);
    this.#atWork++;
    const sharedBy = tenant.atWork.size;
    // Asking the system for it takes longer than much else of a short request.
    const before = this.#isAlone(tenant) ? null : this.#computed();
    try {
      return await work();
    } finally {
      const computed = before === null ? 0 : this.#computed() - before;
      // Those of the tenant at work at the same time have shared it.
      const cost = computed / Math.max(sharedBy, tenant.atWork.size);
      tenant.atWork.delete(begun);
      this.#atWork--;
      tenant.cost = Math.max(cost, tenant.cost * remembered);
      this.#goOn(tenant, cost);
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
    if (this.#isAlone(tenant)) return false;
    return tenant.waiting.size > 0 || this.#room(tenant) <= 0 || performance.now() < tenant.pausedUntil;
  }

  #isAlone(tenant: Tenant): boolean {
    for (const each of this.#tenants.values()) if (each !== tenant && isPresent(each)) return false;
    return true;
  }

  /** How many requests of a tenant that is not alone may begin. */
  #room(tenant: Tenant): number {
    // A request of another tenant waits for the event loop several times, each time for all that are at work.
    const most = Math.max(1, Math.floor(this.#costly / tenant.cost));
    const now = performance.now();
    let atWork = 0;
    for (const { since } of tenant.atWork) if (now - since < turn) atWork++;
    return Math.min(most, this.#together) - atWork;
  }

  #wait(tenant: Tenant, response: ServerResponse, observer?: WaitObserver): Promise<AtWork> {
    const { waiting } = tenant;
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
      const start = () => {
        leave('begun');
        resolve(begin(tenant));
      };
      // Who does not wait for the response must not get the work either.
      const close = () => {
        leave('closed');
        reject(closedByClient());
      };
      const leave = (outcome: WaitOutcome) => {
        waiting.delete(start);
        response.off('close', close);
        observer?.waited(outcome, performance.now() - since);
      };
      waiting.add(start);
      response.once('close', close);
    });
  }

  /** Begins what waits: after a pause if the last one delays others. */
  #goOn(tenant: Tenant, milliseconds: number): void {
    const isAnotherAtWork = this.#atWork > tenant.atWork.size;
    const isCostly = tenant.cost >= this.#costly && !this.#isAlone(tenant);
    if (milliseconds >= unnoticed && (isAnotherAtWork || isCostly)) {
      const pause = Math.min(milliseconds, longestPause);
      tenant.pausedUntil = performance.now() + pause;
      setTimeout(() => this.#admit(tenant), pause).unref();
    } else if (tenant.waiting.size > 0) {
      this.#admit(tenant);
    }
  }

  #look(): void {
    const waiting = [...this.#tenants.values()].filter((tenant) => tenant.waiting.size > 0);
    for (const tenant of waiting) this.#admit(tenant);
    if (waiting.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Begins the requests for which there is room; all of them where they delay nobody. */
  #admit(tenant: Tenant): void {
    // Timers may be early by a fraction of a millisecond.
    if (performance.now() < tenant.pausedUntil - 1) return;
    let room = this.#isAlone(tenant) ? tenant.waiting.size : this.#room(tenant);
    for (const start of tenant.waiting) if (room-- > 0) start();
  }
}

function begin(tenant: Tenant): AtWork {
  const begun = { since: performance.now() };
  tenant.atWork.add(begun);
  return begun;
}

function closedByClient() {
  return unavailable('The client has closed the connection.');
}

function isPresent({ lastSeen }: Tenant): boolean {
  return performance.now() - lastSeen < presence;
}

/** Processor time, since the event loop also counts as active while another process has the processor. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
