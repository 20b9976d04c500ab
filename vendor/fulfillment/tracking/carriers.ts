/**
 * The carriers whose tracking pages are known.
 */

interface Carrier {
  /** Stable; shown to shoppers as `name`. */
  readonly code: string;
  readonly name: string;
  /** The tracking page; `{}` is the tracking number. */
  readonly url: string;
}

export const carriers: readonly Carrier[] = [
  { code: 'australia-post', name: 'Australia Post', url: 'https://auspost.com.au/mypost/track/details/{}' },
  { code: 'bpost', name: 'bpost', url: 'https://track.bpost.cloud/btr/web/#/search?itemCode={}' },
  {
    code: 'canada-post',
    name: 'Canada Post',
    url: 'https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor={}',
  },
  {
    code: 'chronopost',
    name: 'Chronopost',
    url: 'https://www.chronopost.fr/tracking-no-cms/suivi-page?listeNumerosLT={}',
  },
  { code: 'colissimo', name: 'Colissimo', url: 'https://www.laposte.fr/outils/suivre-vos-envois?code={}' },
  {
    code: 'correos',
    name: 'Correos',
    url: 'https://www.correos.es/es/es/herramientas/localizador/envios/detalle?tracking-number={}',
  },
  { code: 'dhl', name: 'DHL', url: 'https://www.dhl.com/global-en/home/tracking.html?tracking-id={}' },
  { code: 'dpd', name: 'DPD', url: 'https://tracking.dpd.de/status/en_US/parcel/{}' },
  { code: 'evri', name: 'Evri', url: 'https://www.evri.com/track/parcel/{}' },
  { code: 'fedex', name: 'FedEx', url: 'https://www.fedex.com/fedextrack/?trknbr={}' },
  { code: 'gls', name: 'GLS', url: 'https://gls-group.com/EU/en/parcel-tracking?match={}' },
  {
    code: 'hermes',
    name: 'Hermes',
    url: 'https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation/#{}',
  },
  { code: 'inpost', name: 'InPost', url: 'https://inpost.pl/en/find-parcel?number={}' },
  { code: 'la-poste', name: 'La Poste', url: 'https://www.laposte.fr/outils/suivre-vos-envois?code={}' },
  { code: 'post-at', name: 'Österreichische Post', url: 'https://www.post.at/sv/sendungsdetails?snr={}' },
  {
    code: 'poste-italiane',
    name: 'Poste Italiane',
    url: 'https://www.poste.it/cerca/index.html#/risultati-spedizioni/{}',
  },
  { code: 'postnl', name: 'PostNL', url: 'https://jouw.postnl.nl/track-and-trace/{}' },
  { code: 'postnord', name: 'PostNord', url: 'https://tracking.postnord.com/en/tracking?id={}' },
  { code: 'royal-mail', name: 'Royal Mail', url: 'https://www.royalmail.com/track-your-item#/tracking-results/{}' },
  { code: 'swiss-post', name: 'Swiss Post', url: 'https://service.post.ch/ekp-web/ui/entry/search/{}' },
  {
    code: 'tnt',
    name: 'TNT',
    url: 'https://www.tnt.com/express/en_gc/site/shipping-tools/tracking.html?searchType=con&cons={}',
  },
  { code: 'ups', name: 'UPS', url: 'https://www.ups.com/track?tracknum={}' },
  { code: 'usps', name: 'USPS', url: 'https://tools.usps.com/go/TrackConfirmAction?tLabels={}' },
];

/** `Royal Mail`, `royal-mail` and `ROYALMAIL` are the same. */
const keyOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const known = new Map(
  carriers.flatMap((carrier) => [carrier.code, carrier.name].map((each) => [keyOf(each), carrier])),
);

/** The name of a carrier as shoppers know it; an unknown one stays as it is. */
export function carrierName(carrier: string): string {
  return known.get(keyOf(carrier))?.name ?? carrier;
}

/** The tracking page of a parcel; null for an unknown carrier. */
export function trackingUrl(carrier: string, number: string): string | null {
  const url = known.get(keyOf(carrier))?.url;
  // Numbers are printed in groups; carriers expect them without spaces.
  return url?.replace('{}', encodeURIComponent(number.replace(/\s/g, ''))) ?? null;
}

/** Whether a link may be shown to shoppers: an absolute https URL without credentials. */
export function isTrackingLink(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}
