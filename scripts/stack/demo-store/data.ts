/**
 * What the demo store sells and says.
 */

export interface DemoProduct {
  title: string;
  handle: string;
  description: string;
  brand: string;
  type: string;
  attributes: { name: string; value: string }[];
  seoDescription: string;
  options?: { name: string; values: string[] }[];
  amount: number;
  stock: number;
  /** What its picture shows. */
  picture: string;
  /** In the folder `files`: what its buyers download, in place of a parcel. */
  file?: string;
}

const brand = 'Alder';

export const products: DemoProduct[] = [
  {
    title: 'Linen Shirt',
    handle: 'linen-shirt',
    description: 'Washed linen, made to last.',
    brand,
    type: 'Shirt',
    attributes: [{ name: 'Material', value: 'Linen' }],
    seoDescription: 'A short-sleeved shirt of washed linen, in three sizes.',
    options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    amount: 5900,
    stock: 40,
    picture: 'A blue shirt with short sleeves',
  },
  {
    title: 'Wool Scarf',
    handle: 'wool-scarf',
    description: 'Two metres of merino.',
    brand,
    type: 'Scarf',
    attributes: [{ name: 'Material', value: 'Merino wool' }],
    seoDescription: 'A red scarf of merino wool, two metres long.',
    amount: 3400,
    stock: 25,
    picture: 'A red scarf with light stripes',
  },
  {
    title: 'Canvas Tote',
    handle: 'canvas-tote',
    description: 'Carries a week of groceries.',
    brand,
    type: 'Bag',
    attributes: [{ name: 'Material', value: 'Cotton canvas' }],
    seoDescription: 'A strong bag of cotton canvas with long handles.',
    amount: 1900,
    stock: 100,
    picture: 'A light bag with a green twig on it',
  },
  {
    title: 'Enamel Mug',
    handle: 'enamel-mug',
    description: 'For tea beside a fire.',
    brand: 'Hearth',
    type: 'Mug',
    attributes: [{ name: 'Material', value: 'Enamelled steel' }],
    seoDescription: 'A white mug of enamelled steel with a blue rim.',
    amount: 1450,
    stock: 60,
    picture: 'A white mug with hot tea',
  },
  {
    title: 'Oak Cutting Board',
    handle: 'oak-cutting-board',
    description: 'Oiled by hand.',
    brand: 'Hearth',
    type: 'Cutting board',
    attributes: [{ name: 'Material', value: 'Oak' }],
    seoDescription: 'A cutting board of solid oak, oiled by hand.',
    amount: 4200,
    stock: 15,
    picture: 'A wooden board with a knife',
  },
  {
    title: 'Notebook',
    handle: 'notebook',
    description: 'Dotted, 160 pages.',
    brand,
    type: 'Notebook',
    attributes: [{ name: 'Pages', value: '160, dotted' }],
    seoDescription: 'A dotted notebook with 160 pages and a ribbon.',
    amount: 1200,
    stock: 200,
    picture: 'A violet notebook and a pencil',
  },
  {
    title: 'Campfire Recipes',
    handle: 'campfire-recipes',
    description: 'Three meals that need one pot and one fire, as a file.',
    brand: 'Hearth',
    type: 'E-book',
    attributes: [{ name: 'Format', value: 'Text' }],
    seoDescription: 'Recipes for bread, stew and baked apples over a fire, to download.',
    amount: 400,
    stock: 1000,
    picture: 'A pot over a fire on the screen of a reader',
    file: 'campfire-recipes.txt',
  },
];

export interface DemoCategory {
  name: string;
  handle: string;
  /** Handles of products. */
  products: string[];
  children?: DemoCategory[];
}

export const categories: DemoCategory[] = [
  {
    name: 'Clothes',
    handle: 'clothes',
    products: [],
    children: [
      { name: 'Shirts', handle: 'shirts', products: ['linen-shirt'] },
      { name: 'Accessories', handle: 'accessories', products: ['wool-scarf', 'canvas-tote'] },
    ],
  },
  {
    name: 'Home',
    handle: 'home',
    products: ['notebook', 'campfire-recipes'],
    children: [{ name: 'Kitchen', handle: 'kitchen', products: ['enamel-mug', 'oak-cutting-board'] }],
  },
];

export const collection = {
  title: 'For the table',
  handle: 'for-the-table',
  products: ['enamel-mug', 'oak-cutting-board'],
};

/** Who sells. */
export const store = {
  legalName: 'Demo Store GmbH',
  address: 'Lindenweg 4\n10115 Berlin\nGermany',
  vatNumber: 'DE123456788',
  country: 'DE',
  email: 'hello@demo.example',
};

export const region = { name: 'Europe', currency: 'EUR', taxInclusive: true, countries: ['DE', 'FR', 'NL'] };

export const taxRates = [
  { code: 'vat-de', name: 'USt.', rate: 19, country: 'DE' },
  { code: 'vat-fr', name: 'TVA', rate: 20, country: 'FR' },
  { code: 'vat-nl', name: 'BTW', rate: 21, country: 'NL' },
];

export const zone = { name: 'Europe', places: region.countries.map((country) => ({ country })) };

export const shippingOptions = [
  { code: 'standard', name: 'Standard, 2 to 4 days', amount: 490 },
  { code: 'express', name: 'Express, the next day', amount: 1290 },
];

export const promotion = {
  label: 'Ten per cent off',
  discount: { kind: 'percent', percent: 10 },
};
export const promotionCode = 'WELCOME';

export const pages = [
  {
    title: 'About us',
    handle: 'about',
    content: '<p>We sell a few good things for the home and for walks. All of them are made to be repaired.</p>',
  },
  {
    title: 'Shipping and returns',
    handle: 'shipping',
    content:
      '<h2>Shipping</h2><p>We ship to Germany, France and the Netherlands within four days.</p>' +
      '<h2>Returns</h2><p>Send back what you do not like within 30 days.</p>',
  },
  {
    title: 'Imprint',
    handle: 'imprint',
    content: '<p>Demo Store GmbH, Lindenweg 4, 10115 Berlin, Germany. VAT number DE123456789.</p>',
  },
];

/** Menus, whose items name their targets by handle. */
export const menus = [
  { name: 'Main menu', handle: 'main', items: ['category/clothes', 'category/home', 'page/about'] },
  { name: 'Footer', handle: 'footer', items: ['page/shipping', 'page/imprint'] },
] as const;
