/**
 * A server with the API of Acme Pay.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Payment {
  id: string;
  reference: string;
  page: string;
  currency: string;
  amount: number;
  status: string;
  captured: number;
  refunded: number;
}

interface Step {
  id: string;
  amount: number;
}

const steps: Record<string, (payment: Payment, step: Step) => boolean> = {
  capture(payment, { amount }) {
    if (payment.status !== 'authorized' || amount > payment.amount) return false;
    Object.assign(payment, { status: 'captured', captured: amount });
    return true;
  },
  void(payment) {
    if (payment.captured > 0) return false;
    payment.status = 'voided';
    return true;
  },
  refund(payment, { amount }) {
    if (payment.refunded + amount > payment.captured) return false;
    payment.refunded += amount;
    return true;
  },
};

export async function startAcme(key: string, secret: string) {
  const payments = new Map<string, Payment>();
  const done = new Set<string>();

  function create({ id, amount, currency }: { id: string; amount: number; currency: string }): Payment {
    const known = [...payments.values()].find((each) => each.id === id);
    if (known) return known;
    const reference = `acme_${payments.size + 1}`;
    const page = `https://pay.example/${reference}`;
    const payment = { id, reference, page, currency, amount, status: 'pending', captured: 0, refunded: 0 };
    payments.set(reference, payment);
    return payment;
  }

  function perform(payment: Payment, name: string, step: Step): number {
    if (done.has(`${name} ${step.id}`)) return 200;
    if (!steps[name]?.(payment, step)) return 409;
    done.add(`${name} ${step.id}`);
    return 200;
  }

  const server = createServer(async (request, response) => {
    const body = request.method === 'POST' ? ((await json(request)) as never) : null;
    const [, , reference, name] = (request.url ?? '').split('/');
    const payment = reference ? payments.get(reference) : body && create(body);
    let status = payment ? 200 : 404;
    if (payment && body && name) status = perform(payment, name, body);
    if (request.headers.authorization !== `Bearer ${key}`) status = 401;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(payment ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The shopper pays. */
    authorize(reference: string) {
      (payments.get(reference) as Payment).status = 'authorized';
    },
    stateOf: (reference: string) => payments.get(reference) as Payment,
    /** The webhook that reports a payment as it is. */
    report(reference: string) {
      const body = Buffer.from(JSON.stringify({ id: randomUUID(), payment: payments.get(reference) }));
      return { headers: { 'acme-signature': createHmac('sha256', secret).update(body).digest('hex') }, body };
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
