/**
 * Query parameters that others append to the addresses of pages: marks of campaigns, clicks and mails, which storefronts
 * often pass on. Reads of shoppers ignore them where no parameter of their own has the name, as do redirects.
 */

/** Names of such marks alone: pages do not differ in them. The first are beginnings of names. */
const ownFamilies = [
  ...['utm_', 'mtm_', 'matomo_', 'piwik_', 'hsa_', 'gad_', '__hs', '_hs', 'vero_', '_bta_', 'bsft_'],
];
const ownNames = new Set([
  // Google
  ...['gclid', 'gclsrc', 'gbraid', 'wbraid', 'dclid', 'srsltid', '_ga', '_gl', 'gdfms', 'gdftrk', 'gdffi'],
  // Meta, Microsoft, X, TikTok, LinkedIn, Pinterest, Snapchat, Reddit, Quora, Yandex
  ...['fbclid', 'fbadid', 'igshid', 'msclkid', 'twclid', 'ttclid', 'li_fat_id', 'epik', 'sccid', 'sc_click_id'],
  ...['rdt_cid', 'qclid', 'yclid', 'ysclid', '_openstat'],
  // Mails: Mailchimp, HubSpot, Klaviyo, Marketo, Wicked Reports, Drip
  ...['mc_cid', 'mc_eid', '_kx', 'hsctatracking', 'mkt_tok', 'wickedid', '__s'],
  // Analytics: Adobe, Branch, Segment
  ...['s_kwcid', '_branch_match_id', '_branch_referrer', 'ajs_uid', 'ajs_aid'],
  // Affiliates: Impact, CJ, ShareASale, Rakuten, Tradedoubler, Taboola, Outbrain, Criteo, Admitad
  ...['irclickid', 'irgwc', 'cjevent', 'sscid', 'afftrack', 'tduid', 'tblci', 'obclid', 'ranmid', 'raneaid'],
  ...['ransiteid', 'cto_pld', 'admitad_uid'],
]);

/** Names that a page of another system may have for itself, too: `/p?ref=A`. */
const sharedFamilies = ['pk_', 'stm_', 'trk_', 'fb_', 'ga_', 'wt_', 'oly_', 'itm_', 'cm_'];
const sharedNames = new Set([
  ...['gad', 'fbc', 'fbp', 'igsh', 'ref_src', 'ref_url', '_ttp', 'trk', 'napm', 'n_media', 'n_query', 'n_rank'],
  ...['kadid', 'trackingid', 'dm_i', 'dm_t', 's_cid', 'ef_id', 'cmpid', 'ncid', 'wbdcd', 'clickid', 'click_id', 'awc'],
  ...['spm', 'scm', 'ref', 'aff', 'affid'],
  // Browsers and libraries that must not get a cached response: jQuery
  '_',
]);

/** Whether a parameter with this name is a mark of others, and never one of a page. */
export function isOnlyCampaignParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return ownNames.has(lower) || ownFamilies.some((family) => lower.startsWith(family));
}

/** Whether others append a parameter with this name, which a page may have for itself, too. */
export function isCampaignParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    isOnlyCampaignParameter(name) || sharedNames.has(lower) || sharedFamilies.some((family) => lower.startsWith(family))
  );
}

/** A query without the parameters that others append, except those that the route declares. */
export function withoutCampaign<Value>(
  query: Readonly<Record<string, Value>>,
  declared: Readonly<Record<string, unknown>> = {},
): Record<string, Value> {
  const own = Object.entries(query).filter(([name]) => Object.hasOwn(declared, name) || !isCampaignParameter(name));
  return Object.fromEntries(own);
}
