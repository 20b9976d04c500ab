/**
 * What the hostile client of `neighbours` does: each kind prepares what it needs as a tenant's owner or shopper, and sends
 * its requests again and again on several connections.
 */
import { callerOf } from '@carton/runtime/testing';
import { type LoadTenant, requireSuccess } from '../tools/load/tenant.ts';
import { photograph, uploadPicture } from './pictures.ts';

/** Returns the status of its response. */
export type Send = (number: number) => Promise<number>;

export interface Hostile {
  what: string;
  /** At once. */
  connections: number;
  /** Prepares it. @returns what sends the nth request */
  prepare(url: string, tenant: LoadTenant): Promise<Send>;
}

const json = { 'content-type': 'application/json' };

async function statusOf(url: string, init: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
}

/** Bodies of almost so many bytes: deep, with many items, and with many members. */
function bodiesOf(bytes: number): string[] {
  const depth = Math.floor(bytes / 2) - 20;
  const item = JSON.stringify({ variantId: '', quantity: 10_000 });
  const member = (number: number): [string, number] => [`member${number}`, number];
  return [
    `{"items":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    `{"items":[${Array.from({ length: Math.floor(bytes / (item.length + 1)) - 1 }, () => item).join()}]}`,
    JSON.stringify(Object.fromEntries(Array.from({ length: Math.floor(bytes / 21) }, (_, number) => member(number)))),
  ];
}

/** Costs as much in one round of its loop as ten thousand filters. */
const slowText = `{% for i in (1..9000) %}{{ 1 ${'| abs '.repeat(14_000)}}}{% endfor %}`;
const largeText = `{% capture x %}{% for i in (1..3900) %}${'a'.repeat(90_000)}{% endfor %}{% endcapture %}{% if x contains "q" %}q{% endif %}`;

/** Strings on which a careless pattern needs quadratic time or more. */
const repetitive = ['a'.repeat(5000), `${'a.'.repeat(2500)}@`, ' '.repeat(5000), '%'.repeat(5000), '('.repeat(5000)];

export const hostiles: Readonly<Record<string, Hostile>> = {
  bodies: {
    what: 'bodies of shoppers as large and as deep as they may be',
    connections: 8,
    async prepare(url, { tenantHeaders }) {
      const bodies = bodiesOf(256 * 1024);
      const headers = { ...tenantHeaders, ...json };
      return (number) =>
        statusOf(`${url}/cart/items`, { method: 'PUT', headers, body: bodies[number % bodies.length] as string });
    },
  },
  staffBodies: {
    what: 'bodies of staff as large and as deep as they may be',
    connections: 8,
    async prepare(url, { staffHeaders }) {
      const bodies = bodiesOf(1024 * 1024);
      const headers = { ...staffHeaders, ...json };
      return (number) =>
        statusOf(`${url}/admin/products`, { method: 'POST', headers, body: bodies[number % bodies.length] as string });
    },
  },
  previews: {
    what: 'previews of mails that never end or fill the memory',
    connections: 4,
    async prepare(url, { staffHeaders }) {
      const bodies = [slowText, largeText].map((text) => JSON.stringify({ draft: { subject: 'x', text, html: null } }));
      const path = '/admin/notification-templates/order.placed/preview';
      const headers = { ...staffHeaders, ...json };
      return (number) => statusOf(url + path, { method: 'POST', headers, body: bodies[number % 2] as string });
    },
  },
  guesses: {
    what: 'guesses of passwords, of other accounts each time',
    connections: 8,
    async prepare(url, { tenantHeaders, slug }) {
      const headers = { ...tenantHeaders, ...json };
      return (number) => {
        const path = number % 2 === 0 ? '/member/login' : '/admin/auth/login';
        const email = number % 4 === 1 ? `owner@${slug}.example` : `guess-${number}@${slug}.example`;
        const body = JSON.stringify({ email, password: `guess ${number} of many` });
        return statusOf(url + path, { method: 'POST', headers, body });
      };
    },
  },
  uploads: {
    what: 'uploads of pictures of 12 megapixels, and the first requests for their sized variants',
    connections: 4,
    async prepare(url, tenant) {
      const picture = await photograph(4000, 3000);
      return async () => {
        const { variants } = await uploadPicture(url, tenant, picture);
        const statuses = await Promise.all(
          variants.map((variant) => statusOf(url + variant.url, { headers: tenant.tenantHeaders })),
        );
        return statuses[0] ?? 201;
      };
    },
  },
  patterns: {
    what: 'texts on which patterns backtrack',
    connections: 8,
    async prepare(url, { tenantHeaders }) {
      const headers = { ...tenantHeaders, ...json };
      return (number) => {
        const text = repetitive[number % repetitive.length] as string;
        if (number % 2 === 0) return statusOf(`${url}/products?q=${encodeURIComponent(text)}`, { headers });
        const customer = { email: text, name: text, phone: text };
        return statusOf(`${url}/checkout`, { method: 'POST', headers, body: JSON.stringify({ customer }) });
      };
    },
  },
  carts: {
    what: 'reads of a cart with 500 lines and 20 promotions',
    connections: 4,
    async prepare(url, { tenantHeaders, staffHeaders, variants }) {
      const staff = callerOf(url, staffHeaders);
      for (let number = 1; number <= 20; number++) {
        const discount = { kind: 'percent', percent: 1 };
        await requireSuccess(staff.post('/admin/promotions', { label: `Offer ${number}`, automatic: true, discount }));
      }
      const shopper = callerOf(url, tenantHeaders, true);
      const items = variants.map((variantId) => ({ variantId, quantity: 2 }));
      await requireSuccess(shopper.put('/cart/items', { items }));
      return () => statusOf(`${url}/cart`, { headers: shopper.headers });
    },
  },
  many: {
    what: 'new carts of one line, many at once',
    connections: 32,
    async prepare(url, { tenantHeaders, variants }) {
      const headers = { ...tenantHeaders, ...json };
      const body = JSON.stringify({ variantId: variants[0], quantity: 1 });
      return () => statusOf(`${url}/cart/items`, { method: 'POST', headers, body });
    },
  },
  lists: {
    what: 'searches for products, sorted by price, many at once',
    connections: 32,
    async prepare(url, { tenantHeaders: headers }) {
      return () => statusOf(`${url}/products?limit=100&q=s&sort=price`, { headers });
    },
  },
};
