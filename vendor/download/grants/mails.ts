/**
 * The mail with the links to downloads. They get their tokens when it is sent: neither events nor stored mails contain
 * them.
 */
import { newToken } from '@carton/auth';
import { findStore } from '@carton/core';
import { findOrder, greeting, MailedOrder, mailToShopper, sampleOrder } from '@carton/order';
import {
  DateTime,
  defineMail,
  hashToken,
  mailTexts,
  nullable,
  object,
  type Static,
  type TenantDatabase,
  Type,
  tokenLabel,
  validUntil,
} from '@carton/runtime';
import { findOwnOrigin } from '@carton/tenant';
import { linksRequested } from './events.ts';
import { downloadPhrases } from './phrases.ts';
import { stateOf } from './service.ts';
import { downloadSettings } from './settings.ts';
import { type GrantRow, grantsOf, setTokenHash } from './store.ts';

const LinksData = object({
  order: MailedOrder,
  downloads: Type.Array(
    object({
      fileName: Type.String(),
      size: Type.String({ description: 'For people: `1.8 MB`' }),
      link: nullable(Type.String({ description: 'Null if the store has no host and has not set the address' })),
      token: Type.String(),
      remaining: nullable(Type.Integer({ description: 'Downloads that are left; null for unlimited' })),
      expiresAt: nullable(DateTime),
    }),
  ),
});
type MailedDownload = Static<typeof LinksData>['downloads'][number];

export const linksMail = defineMail<typeof LinksData>({
  key: linksRequested.type,
  summary: 'To the shopper, with links to the files of an order, once it is paid, or when staff send new links',
  audience: 'shopper',
  secret: true,
  opens: 'download:write',
  data: LinksData,
  sample: {
    order: sampleOrder,
    downloads: [
      {
        fileName: 'handbook.epub',
        size: '1.8 MB',
        link: 'https://www.example.com/downloads/dwn_sample',
        token: 'dwn_sample',
        remaining: 10,
        expiresAt: '2026-03-31T12:00:00.000Z',
      },
    ],
  },
  ...mailTexts(downloadPhrases, ({ subject, files, left, passOn }, language) => {
    const [token, until] = [`${tokenLabel[language]}{{ download.token }}`, validUntil('download.expiresAt')[language]];
    return {
      subject,
      text: `${greeting[language]}

${files}
{% for download in downloads %}
{{ download.fileName }} ({{ download.size }})
{% if download.link %}{{ download.link }}{% else %}${token}{% endif %}
{% if download.remaining %}${left}
{% endif %}{% if download.expiresAt %}${until}
{% endif %}{% endfor %}
${passOn}
`,
      html: `<p>${greeting[language]}</p>
<p>${files}</p>
<ul>
{% for download in downloads %}<li>{% if download.link %}<a href="{{ download.link }}">{{ download.fileName }}</a>{% else %}{{ download.fileName }}, ${token}{% endif %} ({{ download.size }}){% if download.remaining %}<br>${left}{% endif %}{% if download.expiresAt %}<br>${until}{% endif %}</li>
{% endfor %}</ul>
<p>${passOn}</p>`,
    };
  }),
  event: linksRequested,
  async compose(db, { payload }) {
    const { orderId, grantIds } = payload as Static<typeof linksRequested.payload>;
    const order = await findOrder(db, orderId);
    const usable = (await grantsOf(db, orderId)).filter(
      (grant) => grantIds.includes(grant.id) && stateOf(grant) === 'available',
    );
    if (!order || usable.length === 0) return null;
    const linkTo = await linksOf(db);
    const downloads: MailedDownload[] = [];
    for (const grant of usable) {
      const token = await renewToken(db, grant);
      downloads.push({ ...describe(grant), token, link: linkTo(token) });
    }
    return mailToShopper(order, { downloads });
  },
});

/** Replaces the token of a grant; only its hash is stored. */
async function renewToken(db: TenantDatabase, { id }: GrantRow): Promise<string> {
  const token = newToken('dwn');
  await setTokenHash(db, id, hashToken(token));
  return token;
}

async function linksOf(db: TenantDatabase): Promise<(token: string) => string | null> {
  const { linkUrl } = downloadSettings.of(await findStore(db));
  if (linkUrl !== null) return (token) => linkUrl.replace('{token}', token);
  const origin = await findOwnOrigin(db);
  return (token) => origin && `${origin}/downloads/${token}`;
}

function describe({ fileName, size, maxDownloads, downloadCount, expiresAt }: GrantRow) {
  const remaining = maxDownloads === null ? null : maxDownloads - downloadCount;
  return { fileName, size: sizeForPeople(size), remaining, expiresAt };
}

const units = ['kB', 'MB', 'GB'];

function sizeForPeople(bytes: number): string {
  const exponent = Math.min(units.length, Math.max(1, Math.ceil(Math.log10(bytes + 1) / 3) - 1));
  const value = Math.max(0.1, Math.round((bytes / 1000 ** exponent) * 10) / 10);
  return `${value} ${units[exponent - 1]}`;
}
