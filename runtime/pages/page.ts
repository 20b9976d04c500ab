/**
 * The shell of the pages that a box serves: documents for shoppers, on screen and on paper. A page has no script and
 * loads nothing but the images that it names.
 */
import { createHash } from 'node:crypto';
import { HtmlDocument } from '../http/html-document.ts';
import { directionOf } from '../intl/translations.ts';
import { type Html, html } from './html.ts';
import { pageStyles } from './styles.ts';

export interface PageContent {
  /** BCP 47: the language of the text, which decides its direction. */
  language: string;
  title: string | Html;
  body: Html;
  /** URLs of the images in `body`: absolute, or from the root of the page's host. */
  images?: readonly string[];
}

const styleHash = createHash('sha256').update(pageStyles).digest('base64');

/** A complete page with its content security policy, as the response of a route with the media type of `htmlPage`. */
export function renderPage({ language, title, body, images = [] }: PageContent): HtmlDocument {
  const origins = [...new Set(images.map((url) => (url.startsWith('/') ? "'self'" : new URL(url).origin)))];
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    ...(origins.length > 0 ? [`img-src ${origins.join(' ')}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const document = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
`;
  return new HtmlDocument(
    `${document.markup}<style>${pageStyles}</style>\n</head>\n<body>\n${body.markup}\n</body>\n</html>\n`,
    policy,
  );
}
