/**
 * Words of seeded stores. ASCII letters and spaces only: see `wordStarts`.
 */
const list = (text: string) => text.trim().split(/\s+/);

export const styles = list(`
  Classic Everyday Slim Relaxed Vintage Compact Folding Heavy Light Quilted Ribbed Striped Plain Washed Brushed Printed
  Reversible Waterproof Insulated Seamless Cropped Oversized Tailored Rustic Modern Nordic Alpine Coastal Urban Heritage
  Studio Weekend Travel Winter Summer Organic Recycled Handmade Limited Signature`);

export const materials = list(`
  Linen Wool Merino Cashmere Cotton Denim Canvas Leather Suede Silk Velvet Corduroy Flannel Jersey Fleece Hemp Bamboo Oak
  Walnut Beech Ash Cork Ceramic Porcelain Stoneware Enamel Glass Steel Copper Brass Iron Marble Granite Rattan Paper Felt
  Rubber Titanium Aluminium Graphite`);

/** Things that come in sizes. */
export const clothes = list(`
  Shirt Blouse Jacket Coat Parka Vest Sweater Cardigan Hoodie Dress Skirt Trousers Jeans Shorts Leggings Pyjamas Robe Socks
  Gloves Boots Sandals Sneakers Loafers Slippers Swimsuit`);

export const goods = list(`
  Scarf Hat Cap Belt Bag Tote Backpack Wallet Purse Mug Cup Plate Bowl Teapot Kettle Pan Pot Knife Spoon Board Tray Jar
  Vase Lamp Lantern Candle Clock Mirror Frame Basket Chair Stool Table Bench Shelf Desk Rug Blanket Cushion Pillow Curtain
  Towel Notebook Pen Pencil Ruler Easel Puzzle Kite Drum Flute Tent Hammock Bottle Flask Torch Compass Umbrella Brush Comb`);

export const sizes = list('XS S M L XL');

export const firstNames = list(`
  Ada Alan Alice Amir Anna Anton Aisha Ben Bruno Carla Carlos Chloe Clara Daniel David Diana Elena Elias Emil Emma Erik Eva
  Fatima Felix Finn Frida George Grace Greta Hana Hannah Hugo Ida Ines Isaac Ivan Jana Jonas Julia Karl Kofi Lara Lars Lena
  Leo Lina Louis Lucia Luis Maja Marco Maria Marta Max Mei Mia Milan Mira Mona Nadia Nina Noah Nora Olga Omar Oscar Paul
  Pedro Petra Priya Rosa Ruth Sami Sara Simon Sofia Stella Sven Tara Theo Tom Uma Vera Victor Wanda Yara Yusuf Zoe`);

export const lastNames = list(`
  Adams Ahmed Almeida Andersen Bauer Becker Berg Bianchi Brown Carter Castro Chen Clark Costa Dahl Dubois Duval Eriksen
  Evans Fischer Fontaine Garcia Gomez Green Gruber Gupta Haas Hall Hansen Harris Hopper Horvat Hughes Ibrahim Jansen Jensen
  Johnson Jones Kaya Keller Khan Kim King Klein Kovac Kowalski Lang Larsen Laurent Lee Lehmann Lewis Lind Lopez Lovelace
  Lund Maier Marino Martin Mayer Mendes Meyer Miller Moore Moreau Moretti Mueller Nagy Nguyen Nielsen Novak Okafor Olsen
  Patel Pereira Petersen Petrov Popov Ricci Roberts Romano Rossi Roth Sanchez Santos Sato Schmidt Schneider Silva Singh
  Smith Sokolov Suzuki Tanaka Taylor Thomas Turner Vogel Wagner Walker Wang Weber White Wilson Winter Wolf Wood Wright
  Yamada Yilmaz Young Zhang Ziegler`);

/** Reserved for examples (RFC 2606): no mail reaches anybody. */
export const mailHosts = ['example.com', 'example.org', 'example.net'];

export const streets = list(
  'High Main Mill Church Station Park Garden Bridge Castle Forest Harbour Market School Lake',
);

export const cities: readonly { city: string; country: string; postalCode: string }[] = [
  { city: 'Paris', country: 'FR', postalCode: '75003' },
  { city: 'Lyon', country: 'FR', postalCode: '69002' },
  { city: 'Berlin', country: 'DE', postalCode: '10115' },
  { city: 'Hamburg', country: 'DE', postalCode: '20095' },
  { city: 'Leipzig', country: 'DE', postalCode: '04109' },
  { city: 'Vienna', country: 'AT', postalCode: '1010' },
  { city: 'Amsterdam', country: 'NL', postalCode: '1012 AB' },
  { city: 'Antwerp', country: 'BE', postalCode: '2000' },
  { city: 'Madrid', country: 'ES', postalCode: '28004' },
  { city: 'Milan', country: 'IT', postalCode: '20121' },
];

/** What staff mark orders with, by frequency in percent. */
export const orderTags: Readonly<Record<string, number>> = {
  gift: 6,
  vip: 3,
  wholesale: 2,
  'call first': 1,
  fragile: 0.5,
  'press sample': 0.05,
  complaint: 0.3,
};

/** The beginnings of a text's words, each up to the end of the text, as the box stores them for searches: ASCII only. */
export function wordStarts(text: string): string[] {
  const key = text.toLowerCase();
  return [...new Set([...key.matchAll(/(?<![a-z0-9])[a-z0-9]/g)].map(({ index }) => key.slice(index)))];
}
