/**
 * Each text of one line in a body is stored as `writtenLine` returns it, by its schema: names go into headers of mails,
 * lists and files. What is no such text is listed here.
 */
import { describeBox } from '@carton/runtime/testing';
import t from 'tap';

/** Longer texts may have lines. */
const longestLine = 255;

/** Compared with what is stored or made by a program, and not stored as they are sent. */
const compared = [
  'challenge',
  'code',
  'currentPassword',
  'device',
  'host',
  'number',
  'password',
  'paymentMethod',
  'pickupLocationId',
  'rule.conditions[].value',
  'shipping[]',
  'shipping[].code',
  'shippingProfile',
  'startsAt',
  'endsAt',
  'token',
  'type',
  'terms.version',
  'termsVersion',
  'settings.checkout.termsVersion',
  'settings.payment.rounding[].methods[]',
  'generate.prefix',
  'variants[].options[].name',
  'variants[].options[].value',
  'options[].name',
  'options[].value',
];

/** Stored by `writtenLine` or a rule of their own in their service. */
const byService = [
  'customer.name',
  'customer.phone',
  'places[].postalCodes[]',
  'places[].provinces[]',
  'postalCode',
  'province',
];

/** May be empty, and are written by pages as attributes. */
const others = ['seoTitle', 'website', 'carrierService', 'orderNumberFormat'];

type Node = Record<string, unknown> & { properties?: Record<string, Node>; items?: Node };

t.test('each text of one line is stored as one', async (t) => {
  const { routes } = await describeBox();
  const plain = new Set<string>();
  let lines = 0;
  const visit = (schema: Node | undefined, path: string): void => {
    if (schema === undefined || typeof schema !== 'object') return;
    if ([schema.type].flat().includes('string')) {
      const { 'x-converted': converted, maxLength = 0, format, pattern, const: constant } = schema;
      const isChoice = schema.enum !== undefined || constant !== undefined || format !== undefined;
      // A pattern of the letters that are allowed excludes what is not shown.
      const isListed = typeof pattern === 'string' && /^\^(?!\\s\*|\\S|\[\^)/.test(pattern);
      if (converted === 'trimmed' || converted === 'trimmed-or-empty') lines++;
      else if (!isChoice && !isListed && !converted && Number(maxLength) <= longestLine && Number(maxLength) > 0)
        plain.add(path);
    }
    for (const [name, each] of Object.entries(schema.properties ?? {})) visit(each, path ? `${path}.${name}` : name);
    visit(schema.items, `${path}[]`);
    for (const union of ['anyOf', 'oneOf', 'allOf'])
      for (const each of (schema[union] ?? []) as Node[]) visit(each, path);
  };
  for (const { declaration } of routes) visit(declaration.body as Node | undefined, '');
  t.ok(lines > 100, `${lines} texts of one line`);
  t.strictSame([...plain].sort(), [...compared, ...byService, ...others].sort());
});
