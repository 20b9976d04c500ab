/**
 * Which times requests may name, and what handlers get.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { requestSchema } from '../input-forms.ts';
import { parseInstant } from '../instants.ts';
import { DateTime, nullable, object } from '../schemas.ts';
import { validate } from '../validation.ts';

t.test('times that are taken, in one form', (t) => {
  const forms = {
    '2026-03-01T12:00:00Z': '2026-03-01T12:00:00.000Z',
    '2026-03-01t12:00:00z': '2026-03-01T12:00:00.000Z',
    '2026-03-01 12:00:00+01:30': '2026-03-01T10:30:00.000Z',
    '2026-03-01T12:00:00.1Z': '2026-03-01T12:00:00.100Z',
    [`2026-03-01T12:00:00.${'123456789'.repeat(8)}Z`]: '2026-03-01T12:00:00.123Z',
    '2024-02-29T00:00:00-00:00': '2024-02-29T00:00:00.000Z',
    '1900-01-01T00:00:00Z': '1900-01-01T00:00:00.000Z',
    '1899-12-31T23:00:00-01:00': '1900-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999999Z': '9999-12-31T23:59:59.999Z',
  };
  for (const [text, instant] of Object.entries(forms)) t.equal(parseInstant(text), instant, text);
  t.end();
});

t.test('times that are not', (t) => {
  const refused = [
    ...['0001-01-01T00:00:00+01:00', '0000-01-01T00:00:00Z', '1899-12-31T23:59:59Z', '1900-01-01T00:00:00+00:01'],
    ...['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59-00:01', '10000-01-01T00:00:00Z', '-002026-03-01T12:00:00Z'],
    ...['2026-12-31T23:59:60Z', '2026-06-30T23:59:60.5Z', '2026-02-29T00:00:00Z', '2026-02-30T00:00:00Z'],
    ...['2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-03-00T00:00:00Z', '2026-03-01T24:00:00Z'],
    ...[
      '2026-03-01T12:60:00Z',
      '2026-03-01T12:00:00+24:00',
      '2026-03-01T12:00:00+1',
      '2026-03-01T12:00Z',
      '2026-03-01T12:00:00',
    ],
    ...['2026-03-01', '12:00:00Z', '2026-03-01T12:00:00.Z', '2026-03-01T12:00:00Z ', 'now', 'infinity', ''],
  ];
  for (const text of refused) t.equal(parseInstant(text), null, text);
  t.end();
});

t.test('a body', (t) => {
  const Body = requestSchema(object({ at: DateTime, until: nullable(DateTime) }));
  t.equal(requestSchema(Body), Body, 'is converted once');
  t.strictSame(validate(Body, { at: '2026-03-01T12:00:00+01:00', until: null }, 'body'), {
    at: '2026-03-01T11:00:00.000Z',
    until: null,
  });
  t.throws(() => validate(Body, { at: '2026-12-31T23:59:60Z', until: null }, 'body'), {
    errors: exactly([
      {
        in: 'body',
        pointer: '/at',
        detail:
          'must be a time of RFC 3339 with an offset in the years 1900 to 9999, such as 2026-03-01T12:00:00Z, and no leap second (the second 60)',
      },
    ]),
  });
  t.throws(() => validate(Body, { at: '2026-12-31T23:59:61Z', until: null }, 'body'), {
    errors: exactly([
      {
        in: 'body',
        pointer: '/at',
        detail: 'must be a time of RFC 3339 with an offset in the years 1900 to 9999, such as 2026-03-01T12:00:00Z',
      },
    ]),
  });
  t.end();
});
