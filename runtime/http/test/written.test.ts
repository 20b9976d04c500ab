/**
 * How texts of one line are stored.
 */
import t from 'tap';
import { requestSchema } from '../input-forms.ts';
import { humanLines, humanText, object, Type, trimmed } from '../schemas.ts';
import { distinctTags } from '../tags.ts';
import { validate } from '../validation.ts';
import { writtenLine } from '../written.ts';

t.test('a text of one line', async (t) => {
  for (const [text, stored] of [
    ['Bowl\tEu', 'Bowl Eu'],
    ['Bowl\r\nBcc: eve@example.com', 'Bowl Bcc: eve@example.com'],
    ['a\u0000\u0007\u009fb\u2028c\u2029d', 'a b c d'],
    ['\tBowl\n', 'Bowl'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['\u2066a\u2069\u202a\u202b\u202c\u202d\u2067\u2068b', 'ab'],
    ['sum\u200bmer\u2060\ufeff', 'summer'],
    ['Cafe\u0301', 'Café'],
    // Joiners and marks of direction belong to words and emoji.
    ['می\u200cخواهم \u{1f469}\u200d\u{1f680}', 'می\u200cخواهم \u{1f469}\u200d\u{1f680}'],
    ['\u200fשלום\u200e (1)', '\u200fשלום\u200e (1)'],
  ] as const)
    t.equal(writtenLine(text), stored, encodeURIComponent(text));
  for (const blank of ['', '\u202e', ' \u200b\n', '\u0000', null, undefined]) t.equal(writtenLine(blank), null);
});

t.test('bodies have such texts, and notes keep their lines', async (t) => {
  const Body = requestSchema(
    object({
      name: humanText(20),
      note: Type.Optional(humanLines(20)),
      sender: Type.Optional(trimmed(Type.String({ maxLength: 20 }), 'or-empty')),
    }),
  );
  t.strictSame(validate(Body, { name: 'a\tb\u202e', note: ' a\nb ', sender: '\u200bx\n' }, 'body'), {
    name: 'a b',
    note: 'a\nb',
    sender: 'x',
  });
  t.strictSame(validate(Body, { name: 'a', sender: '\u200b' }, 'body'), { name: 'a', sender: '' });
  for (const refused of [{ name: '\u202e\n' }, { name: 'a', note: '\u200b' }])
    t.throws(() => validate(Body, refused, 'body'), /must be a text that is not blank/);
});

t.test('tags that look the same are one', async (t) => {
  t.strictSame(distinctTags(['sum\u200bmer', 'Summer', 'ＳＵＭＭＥＲ', 'sum\tmer', 'sum mer']), ['summer', 'sum mer']);
});
