/**
 * Checks events: each is dispatched, and delivered to the recorder's subscribers once and in the order of its resource.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { withReader } from './postgres.ts';
import type { Findings, Stage } from './rig.ts';

const recorder = new URL('./recorder', import.meta.url).pathname;
/** The package of the rigs, for the folder of a box. */
export const recorderPackage = { '@carton/recorder': recorder };

/** More than the lease of a dead process, which expires after a minute. */
const maxWait = 150_000;

/**
 * Waits until every event is dispatched and, with `delivered`, delivered; then compares them with the records.
 * @param options.outsideTransaction how often the subscriber outside a transaction may be called: `once` if no process died
 */
export function checkDeliveries(
  stage: Pick<Stage, 'signal'>,
  url: string,
  options: { outsideTransaction: 'once' | 'at least once'; delivered: boolean },
): Promise<Findings> {
  return withReader(url, async (read) => {
    const until = Date.now() + maxWait;
    let left = await read<{ dispatching: number; delivering: number }>(leftText);
    const isDone = () => left[0]?.dispatching === 0 && (!options.delivered || left[0].delivering === 0);
    while (!isDone() && Date.now() < until) {
      stage.signal.throwIfAborted();
      await sleep(200);
      left = await read(leftText);
    }
    const broken: string[] = [];
    if (!isDone()) broken.push(`events remain: ${JSON.stringify(left[0])}`);
    const [counts = {} as Counts] = await read<Counts>(countText);
    const { events, dead, missing, twice, twice_in_steps, missing_in_steps, disordered, delivery_ids } = counts;
    if (dead > 0) broken.push(`${dead} deliveries are dead`);
    if (options.delivered && missing > 0) broken.push(`${missing} events were never recorded`);
    if (options.delivered && missing_in_steps > 0)
      broken.push(`${missing_in_steps} events were never recorded outside a transaction`);
    if (twice > 0) broken.push(`${twice} events were recorded more than once`);
    if (options.outsideTransaction === 'once' && twice_in_steps > 0) {
      broken.push(`${twice_in_steps} events were delivered more than once though no process died`);
    }
    if (disordered > 0) broken.push(`${disordered} events were recorded before an earlier one of their resource`);
    if (delivery_ids > 0) broken.push(`${delivery_ids} deliveries changed their id between attempts`);
    return { broken, counts: { eventsDelivered: events - missing, eventsToldAgainInSteps: twice_in_steps } };
  });
}

interface Counts {
  events: number;
  dead: number;
  missing: number;
  missing_in_steps: number;
  twice: number;
  twice_in_steps: number;
  disordered: number;
  delivery_ids: number;
}

const leftText = `
  select (select count(*) from event_outbox where dispatched_at is null)::integer as dispatching,
         (select count(*) from event_deliveries where status = 'pending' and subscriber like 'recorder.%')::integer
           as delivering`;

/** The position of an event is that of its first record: repeated calls outside a transaction come later. */
const countText = `
  with first as (
    select tenant_id, subscriber, event_id, resource_id, min(position) as position, count(*) as times,
           count(distinct delivery_id) as delivery_ids
      from recorded_events group by tenant_id, subscriber, event_id, resource_id
  ),
  ordered as (
    select first.position,
           lag(first.position) over (
             partition by first.tenant_id, first.subscriber, first.resource_id order by event.position, event.id
           ) as earlier
      from first join event_outbox event on event.tenant_id = first.tenant_id and event.id = first.event_id
  )
  select (select count(*) from event_outbox)::integer as events,
         (select count(*) from event_deliveries where status = 'dead')::integer as dead,
         (select count(*) from event_outbox event where not exists (
            select from first where first.tenant_id = event.tenant_id and first.event_id = event.id
               and subscriber = 'recorder.once'))::integer as missing,
         (select count(*) from event_outbox event where not exists (
            select from first where first.tenant_id = event.tenant_id and first.event_id = event.id
               and subscriber = 'recorder.in-steps'))::integer as missing_in_steps,
         (select count(*) from first where subscriber = 'recorder.once' and times > 1)::integer as twice,
         (select count(*) from first where subscriber = 'recorder.in-steps' and times > 1)::integer as twice_in_steps,
         (select count(*) from ordered where position < earlier)::integer as disordered,
         (select count(*) from first where delivery_ids > 1)::integer as delivery_ids`;
