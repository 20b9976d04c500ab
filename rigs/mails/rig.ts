/**
 * Kills the box while the mail server receives a mail, before and after its response, and takes the mail server away
 * while orders are placed. Then each mail has arrived: in the order of its order's events, and more than once only if a
 * kill fell between its arrival and its record.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MailServer, type ReceivedMail, startMailServer } from '@carton/notification/testing';
import { freePort } from '@carton/runtime/testing';
import { type RigBox, startRigBox } from '../support/box.ts';
import { newTally, sendRequest, type Tally } from '../support/client.ts';
import { urlOfEmbedded, withReader } from '../support/postgres.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { type Purchase, sendShoppers, sendUntilFinal } from '../support/shoppers.ts';
import { openTenants } from '../support/tenants.ts';

/** Milliseconds within which a serving box must send the next mail. */
const progressTimeout = 90_000;
/** Milliseconds until all mails have arrived: leases of killed boxes last a minute, retries after an outage longer. */
const arrivalTimeout = 500_000;
/** Seconds of all outages but the last. */
const shortOutage = 20;

export const rig: Rig = {
  about: 'Kills the box while it sends mails, takes the mail server away, and checks that each mail arrives, in order.',
  options: {
    kills: { about: 'kill -9 of the box, between sending a mail and recording it', defaultValue: '50', short: '5' },
    outages: { about: 'times that the mail server is away', defaultValue: '3', short: '1' },
    away: { about: 'seconds of the last outage; the others take at most 20', defaultValue: '600', short: '8' },
    tenants: { about: 'tenants on the box', defaultValue: '2' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '3', short: '2' },
  },
  timeLimit: (stage) => 600 + 30 * stage.number('kills') + 60 * stage.number('outages') + stage.number('away'),
  async run(stage) {
    const arrivals: Arrival[] = [];
    const server = await startMailServer({ closeTimeout: 10_000 });
    stage.atEnd('the mail server', () => server.stop());
    stage.say('starting a box');
    const box = await startRigBox(stage, { name: 'box', port: await freePort(), environment: server.environment });
    stage.say(`the box serves at ${box.url}; creating tenants`);
    const tenants = await openTenants(box.url, stage.number('tenants'));
    const tally = newTally();
    const shoppers = sendShoppers({
      urls: [box.url],
      tenants,
      shoppers: stage.number('shoppers'),
      tally,
      thinkTime: 400,
    });
    const cancels = cancelSome(stage, box, shoppers.purchases, tally);
    await injectFaults(stage, box, server, arrivals);
    stage.say('waiting for the last shoppers, and for the last mails');
    await shoppers.stop();
    await cancels.stop();
    const url = await urlOfEmbedded(box.databaseFolder);
    const mails = await checkMails(stage, url, arrivals, shoppers.purchases);
    return {
      broken: [...tally.broken, ...mails.broken],
      counts: { kills: stage.number('kills'), outages: stage.number('outages'), ...mails.counts },
    };
  },
};

/** A mail that the server has stored. */
interface Arrival {
  mail: ReceivedMail;
  /** Number of times that the box was started again, or the server was back, before it. */
  round: number;
}

/** Kills the box during mails, alternately before and after the server's response; takes the server away in between. */
async function injectFaults(stage: Stage, box: RigBox, server: MailServer, arrivals: Arrival[]): Promise<void> {
  const kills = stage.number('kills');
  const outages = stage.number('outages');
  let done = 0;
  // Not the number of kills: a mail of the killed process may be stored after the kill.
  let round = 0;
  /** The process to kill at the next mail. */
  let victim: number | null = null;
  let onKilled: () => void = () => {};
  server.behaviour = {
    async stored(mail) {
      arrivals.push({ mail, round });
      if (victim === null) return null;
      const pid = victim;
      victim = null;
      done++;
      const kill = () => {
        process.kill(pid, 'SIGKILL');
        onKilled();
      };
      // After the response the box needs some milliseconds to record it.
      if (done % 2 === 0) kill();
      else setImmediate(kill);
      return null;
    },
  };
  for (let number = 1; number <= kills; number++) {
    const pid = await box.pid();
    const killed = new Promise<void>((resolve) => {
      onKilled = resolve;
    });
    await sleep(Math.random() * 500);
    victim = pid;
    await Promise.race([killed, timeout(stage)]);
    const milliseconds = await box.untilServes(pid);
    round++;
    stage.say(
      `${number} of ${kills}: killed during a mail, served again after ${milliseconds.toFixed(0)} ms; ${arrivals.length} mails so far`,
    );
    // Outages are spread evenly among kills.
    if (Math.floor((number * outages) / kills) > Math.floor(((number - 1) * outages) / kills)) {
      await server.stop();
      const away = stage.number('away');
      const seconds = number === kills ? away : Math.min(away, shortOutage);
      stage.say(`the mail server is away for ${seconds} s`);
      await sleep(seconds * 1000, undefined, { signal: stage.signal });
      round++;
      await server.start();
      stage.say('the mail server is back');
    }
  }
}

async function timeout({ signal }: Stage): Promise<never> {
  await sleep(progressTimeout, undefined, { signal, ref: false });
  throw new Error('the box serves, but sends no mails');
}

/** Staff cancel orders, so that orders have two mails. */
function cancelSome(stage: Stage, { url }: RigBox, purchases: readonly Purchase[], tally: Tally) {
  let open = true;
  const canceled = new Set<Purchase>();
  const work = async () => {
    while (open) {
      await sleep(500, undefined, { signal: stage.signal });
      const purchase = purchases.find((one) => one.placed.length > 0 && !canceled.has(one) && Math.random() < 0.2);
      if (!purchase) continue;
      canceled.add(purchase);
      const path = `/admin/orders/${purchase.placed[0]}/cancel`;
      const request = { method: 'POST', path, headers: purchase.tenant.staffHeaders, body: {} };
      await sendUntilFinal((each) => sendRequest(url, each, tally), request);
    }
  };
  const done = work();
  return {
    async stop() {
      open = false;
      await done;
    },
  };
}

interface MailRow {
  id: string;
  template: string;
  status: string;
  message_id: string | null;
  error: string | null;
  order_id: string;
}

/** All mails of orders, and for which orders one is missing. */
const expectedText = `
  select orders.id as order_id, mail.template, notifications.id, notifications.status, notifications.message_id,
         notifications.error
    from orders
    cross join lateral (select 'order.placed' as template union all select 'order.canceled' where status = 'canceled') mail
    left join notifications on notifications.tenant_id = orders.tenant_id and notifications.resource_id = orders.id
         and notifications.template = mail.template`;

/** Waits until each mail is sent, and compares the records with what has arrived. */
function checkMails(
  stage: Stage,
  url: string,
  arrivals: readonly Arrival[],
  purchases: readonly Purchase[],
): Promise<Findings> {
  return withReader(url, async (read) => {
    const until = Date.now() + arrivalTimeout;
    let rows = await read<MailRow>(expectedText);
    while (rows.some(({ status }) => status !== 'sent' && status !== 'failed') && Date.now() < until) {
      await sleep(500, undefined, { signal: stage.signal });
      rows = await read<MailRow>(expectedText);
    }
    const broken: string[] = [];
    const firstOf = new Map<string, number>();
    let copies = 0;
    for (const [at, { mail, round }] of arrivals.entries()) {
      const first = firstOf.get(mail.messageId);
      if (first === undefined) firstOf.set(mail.messageId, at);
      else if (arrivals.slice(first, at).some((one) => one.mail.messageId === mail.messageId && one.round === round)) {
        broken.push(`${mail.messageId} arrived twice without a kill in between`);
      } else copies++;
    }
    for (const { order_id, template, status, message_id, error } of rows) {
      if (status !== 'sent') broken.push(`${template} of ${order_id} is ${status ?? 'not recorded'}: ${error}`);
      else if (!firstOf.has(message_id ?? '')) broken.push(`${template} of ${order_id} is sent and has not arrived`);
    }
    const byOrder = Map.groupBy(rows, ({ order_id }) => order_id);
    for (const [orderId, mails] of byOrder) {
      if (new Set(mails.map(({ template }) => template)).size < mails.length)
        broken.push(`${orderId} has a mail twice`);
      const [placed, canceled] = ['order.placed', 'order.canceled'].map((template) =>
        firstOf.get(mails.find((mail) => mail.template === template)?.message_id ?? ''),
      );
      if (placed !== undefined && canceled !== undefined && canceled < placed) {
        broken.push(`the cancellation of ${orderId} arrived before its confirmation`);
      }
    }
    const confirmed = purchases.flatMap(({ placed }) => placed);
    for (const id of confirmed) if (!byOrder.has(id)) broken.push(`the order ${id} is lost`);
    const canceled = rows.filter(({ template }) => template === 'order.canceled').length;
    return {
      broken,
      counts: {
        mails: rows.length,
        confirmations: rows.length - canceled,
        cancellations: canceled,
        arrivals: arrivals.length,
        copiesAfterKills: copies,
      },
    };
  });
}
