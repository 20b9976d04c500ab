/**
 * What a Factur-X (ZUGFeRD) says of itself in the metadata of its PDF (XMP): the file with the data, and the profile of the
 * data, with the description of these properties that PDF/A requires.
 */
const fileName = 'factur-x.xml';
const properties: readonly [name: string, value: string, description: string][] = [
  ['DocumentFileName', fileName, 'The name of the embedded XML document'],
  ['DocumentType', 'INVOICE', 'The type of the hybrid document'],
  ['Version', '1.0', 'The version of the standard of the embedded XML document'],
  ['ConformanceLevel', 'EN 16931', 'The profile of the embedded XML document'],
];
const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

const described = ([name, , description]: (typeof properties)[number]) => `
<rdf:li rdf:parseType="Resource">
<pdfaProperty:name>${name}</pdfaProperty:name>
<pdfaProperty:valueType>Text</pdfaProperty:valueType>
<pdfaProperty:category>external</pdfaProperty:category>
<pdfaProperty:description>${description}</pdfaProperty:description>
</rdf:li>`;

const metadata = `
<rdf:Description rdf:about="" xmlns:fx="${namespace}">${properties
  .map(
    ([name, value]) => `
<fx:${name}>${value}</fx:${name}>`,
  )
  .join('')}
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas>
<rdf:Bag>
<rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>fx</pdfaSchema:prefix>
<pdfaSchema:property>
<rdf:Seq>${properties.map(described).join('')}
</rdf:Seq>
</pdfaSchema:property>
</rdf:li>
</rdf:Bag>
</pdfaExtension:schemas>
</rdf:Description>
`;

/** The name of the file that is attached, and the metadata: elements of RDF. */
export const facturX = { fileName, metadata } as const;
