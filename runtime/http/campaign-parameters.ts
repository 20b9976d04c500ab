/**
 * Query parameters that others append to the addresses of pages: marks of campaigns, clicks and mails, which storefronts
 * often pass on. Reads of shoppers ignore them where no parameter of their own has the name, as do redirects.
 */

/** Beginnings of names. */
const families = [
  ...['utm_', 'mtm_', 'matomo_', 'pk_', 'piwik_', 'hsa_', 'stm_', 'trk_'],
  ...['gad_', '__hs', '_hs', 'fb_', 'ga_', 'wt_', 'oly_', 'vero_', 'itm_', 'cm_', '_bta_', 'bsft_'],
];

/** Entire names, in lower case. */
const names = new Set([
  // Google
  ...['gclid', 'gclsrc', 'gbraid', 'wbraid', 'dclid', 'srsltid', 'gad', '_ga', '_gl', 'gdfms', 'gdftrk', 'gdffi'],
  // Meta, Microsoft, X, TikTok, LinkedIn, Pinterest, Snapchat, Reddit, Quora, Yandex, Naver, Kakao
  ...['fbclid', 'fbadid', 'fbc', 'fbp', 'igshid', 'igsh', 'msclkid', 'twclid', 'ref_src', 'ref_url', 'ttclid', '_ttp'],
  ...['li_fat_id', 'trk', 'epik', 'sccid', 'sc_click_id', 'rdt_cid', 'qclid', 'yclid', 'ysclid', '_openstat'],
  ...['napm', 'n_media', 'n_query', 'n_rank', 'kadid'],
  // Mails: Mailchimp, HubSpot, Klaviyo, Marketo, Wicked Reports, Drip, Listrak, dotdigital, Braze
  ...[
    'mc_cid',
    'mc_eid',
    '_kx',
    'hsctatracking',
    'mkt_tok',
    'wickedid',
    '__s',
    'trackingid',
    'dm_i',
    'dm_t',
    '_bta_tid',
  ],
  // Analytics: Adobe, Webtrekk, Matomo, Branch, Segment
  ...[
    's_kwcid',
    's_cid',
    'ef_id',
    'cmpid',
    'ncid',
    'wbdcd',
    '_branch_match_id',
    '_branch_referrer',
    'ajs_uid',
    'ajs_aid',
  ],
  // Affiliates: Impact, CJ, Awin, ShareASale, Rakuten, Tradedoubler, Taboola, Outbrain, Criteo
  ...['irclickid', 'irgwc', 'clickid', 'click_id', 'cjevent', 'awc', 'sscid', 'afftrack', 'tduid', 'tblci', 'obclid'],
  ...['ranmid', 'raneaid', 'ransiteid', 'cto_pld', 'admitad_uid', 'spm', 'scm', 'ref', 'aff', 'affid'],
  // Browsers and libraries that must not get a cached response: jQuery
  '_',
]);

/** Whether others append a parameter with this name. */
export function isCampaignParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return names.has(lower) || families.some((family) => lower.startsWith(family));
}

/** A query without the parameters that others append, except those that the route declares. */
export function withoutCampaign<Value>(
  query: Readonly<Record<string, Value>>,
  declared: Readonly<Record<string, unknown>> = {},
): Record<string, Value> {
  const own = Object.entries(query).filter(([name]) => Object.hasOwn(declared, name) || !isCampaignParameter(name));
  return Object.fromEntries(own);
}
