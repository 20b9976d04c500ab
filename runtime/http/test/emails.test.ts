/**
 * Which e-mail addresses requests may name, and what handlers get.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { parseEmail } from '../emails.ts';
import { requestSchema } from '../input-forms.ts';
import { Email, nullable, object, Type, trimmed } from '../schemas.ts';
import { faults, validate } from '../validation.ts';

t.test('addresses that are taken, as they are stored', async (t) => {
  const forms = {
    'ada@example.com': 'ada@example.com',
    'Ada.L+shop@Example.COM': 'Ada.L+shop@Example.COM',
    ' ada@example.com\n': 'ada@example.com',
    '\u00a0ada@example.com\u3000': 'ada@example.com',
    'ada@münchen.example': 'ada@xn--mnchen-3ya.example',
    'ada@MÜNCHEN.example': 'ada@xn--mnchen-3ya.example',
    'ada@mu\u0308nchen.example': 'ada@xn--mnchen-3ya.example',
    'ada@例え.テスト': 'ada@xn--r8jz45g.xn--zckzah',
    'ada@例え。テスト': 'ada@xn--r8jz45g.xn--zckzah',
    'ada@straße.example': 'ada@xn--strae-oqa.example',
    'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ': 'ada@example.com',
    'jörg@münchen.example': 'jörg@xn--mnchen-3ya.example',
    'jo\u0308rg@example.com': 'jörg@example.com',
    '用户.一@example.com': '用户.一@example.com',
    'أحمد@example.com': 'أحمد@example.com',
  };
  for (const [text, email] of Object.entries(forms)) t.equal(parseEmail(text), email, text);
});

t.test('addresses that are not', async (t) => {
  const refused = [
    ...[
      '',
      ' ',
      'ada',
      '@example.com',
      'ada@',
      'ada@example',
      'ada@@example.com',
      'a da@example.com',
      'ada@exam ple.com',
    ],
    ...['.ada@example.com', 'ada.@example.com', 'a..b@example.com', 'ada@-example.com', 'ada@example-.com'],
    ...[
      'ada@exa\u0000mple.com',
      'a\u200bda@example.com',
      'ada\r\nBcc: eve@example.com',
      'ada@exämple',
      'ada<eve@example.com',
    ],
    ...[`${'a'.repeat(250)}@example.com`, `${'ö'.repeat(125)}@example.com`, `ada@${'ü'.repeat(250)}.example`],
  ];
  for (const text of refused) t.equal(parseEmail(text), null, JSON.stringify(text));
});

t.test('wherever a request has an e-mail address, the handler gets the stored form', async (t) => {
  const schema = requestSchema(object({ email: Email, other: nullable(Email), emails: Type.Array(Email) }));
  const sent = { email: ' ada@münchen.example', other: null, emails: ['a@b.example '] };
  t.strictSame(validate(schema, sent, 'body'), {
    email: 'ada@xn--mnchen-3ya.example',
    other: null,
    emails: ['a@b.example'],
  });
  const query = requestSchema(object({ email: Type.Optional(Email) }));
  t.strictSame(validate(query, { email: 'ada@MÜNCHEN.example' }, 'query'), { email: 'ada@xn--mnchen-3ya.example' });
  t.throws(() => validate(query, { email: 'ada' }, 'query'), {
    errors: exactly([{ detail: 'must be an e-mail address' }]),
  });
  t.equal(faults(Email, 'jörg@example.com'), null);
});

t.test('texts that are trimmed', async (t) => {
  const Code = trimmed(Type.String({ minLength: 1, maxLength: 5, pattern: '^[a-z]+$' }));
  const schema = requestSchema(object({ code: nullable(Code) }));
  const read = (code: string | null) => validate(schema, { code }, 'body').code;
  for (const code of ['abc', ' abc', 'abc\t', '\u3000abc\u00a0']) t.equal(read(code), 'abc', JSON.stringify(code));
  t.equal(read(null), null);
  for (const code of ['', ' ', 'a b', 'ABC', 'abcdef']) t.throws(() => read(code), { message: /^body .code/ }, code);
  t.equal(faults(Code, 'abc'), null, 'what is stored is not changed');
});
