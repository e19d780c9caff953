/**
 * The XML of a document: a Cross Industry Invoice of UN/CEFACT in the profile EN 16931 of Factur-X. The schema
 * prescribes the order of the elements.
 */

import { XMLBuilder } from 'fast-xml-parser';
import type { Language } from '../../language/language.ts';
import { currencyDigits, decimal, minorUnits } from '../money.ts';
import type { DocumentContent, DocumentLine, TaxCategory } from './content.ts';
import { MOST_DIGITS } from './documents.ts';
import { buyerName, lineName, paymentNote, restWords } from './words.ts';

type Element = { [name: string]: Element | Element[] | string };

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  format: true,
  suppressEmptyNode: true,
});

const NAMESPACES = {
  '@xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  '@xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  '@xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
  '@xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};

/** Codes of UNTDID 1001. */
const TYPES = { invoice: '380', credit_note: '381' };
/** The code of a piece in UN/ECE recommendation 20. */
const PIECE = 'C62';

export function xmlOf(content: DocumentContent, language: Language, digits: number): string {
  const { kind, number, issued_on, lines } = content;
  // EN 16931 does not allow lines with a negative price, so a rest that lowers the total is an allowance of the
  // document.
  const charged = lines.filter(({ total }) => !total.startsWith('-'));
  const lowered = lines.filter(({ total }) => total.startsWith('-'));
  const invoice: Element = {
    ...NAMESPACES,
    'rsm:ExchangedDocumentContext': {
      'ram:GuidelineSpecifiedDocumentContextParameter': { 'ram:ID': 'urn:cen.eu:en16931:2017' },
    },
    'rsm:ExchangedDocument': {
      'ram:ID': number,
      'ram:TypeCode': TYPES[kind],
      'ram:IssueDateTime': dateOf(issued_on),
    },
    'rsm:SupplyChainTradeTransaction': {
      'ram:IncludedSupplyChainTradeLineItem': charged.map((line, i) => lineItem(content, line, i + 1, language)),
      'ram:ApplicableHeaderTradeAgreement': agreement(content, language),
      'ram:ApplicableHeaderTradeDelivery': delivery(content),
      'ram:ApplicableHeaderTradeSettlement': settlement(content, { charged, lowered, language, digits }),
    },
  };
  const xml: string = builder.build({ 'rsm:CrossIndustryInvoice': invoice });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
}

function dateOf(day: string): Element {
  return { 'udt:DateTimeString': { '@format': '102', '#text': day.replaceAll('-', '') } };
}

function categoryOf({ taxes }: DocumentContent, rate: string): TaxCategory {
  return taxes.find((tax) => tax.rate === rate)?.category ?? 'S';
}

function percentOf(rate: string): string {
  return String(Math.round(Number(rate) * 1_000_000) / 10_000);
}

function taxOfLine(content: DocumentContent, rate: string): Element {
  return {
    'ram:TypeCode': 'VAT',
    'ram:CategoryCode': categoryOf(content, rate),
    'ram:RateApplicablePercent': percentOf(rate),
  };
}

/** Sends the price of the whole line with its quantity as the basis, so that no price per piece has to be rounded. */
function lineItem(content: DocumentContent, line: DocumentLine, place: number, language: Language): Element {
  const { sku, quantity, net, rate } = line;
  const pieces = { '@unitCode': PIECE, '#text': String(quantity) };
  return {
    'ram:AssociatedDocumentLineDocument': { 'ram:LineID': String(place) },
    'ram:SpecifiedTradeProduct': {
      ...(sku !== null && { 'ram:SellerAssignedID': sku }),
      'ram:Name': lineName(content, line, language),
    },
    'ram:SpecifiedLineTradeAgreement': {
      'ram:NetPriceProductTradePrice': { 'ram:ChargeAmount': net, 'ram:BasisQuantity': pieces },
    },
    'ram:SpecifiedLineTradeDelivery': { 'ram:BilledQuantity': pieces },
    'ram:SpecifiedLineTradeSettlement': {
      'ram:ApplicableTradeTax': taxOfLine(content, rate),
      'ram:SpecifiedTradeSettlementLineMonetarySummation': { 'ram:LineTotalAmount': net },
    },
  };
}

function agreement(content: DocumentContent, { say }: Language): Element {
  const { seller, buyer, country, order } = content;
  const registrations = [
    ...(seller.vat_id === null ? [] : [{ '@schemeID': 'VA', '#text': seller.vat_id }]),
    ...(seller.tax_number === null ? [] : [{ '@schemeID': 'FC', '#text': seller.tax_number }]),
  ];
  return {
    'ram:SellerTradeParty': {
      // Identifies a seller without a VAT number.
      ...(seller.vat_id === null && seller.tax_number !== null && { 'ram:ID': seller.tax_number }),
      'ram:Name': seller.legal_name,
      'ram:PostalTradeAddress': addressOf(seller, seller.country),
      'ram:SpecifiedTaxRegistration': registrations.map((id) => ({ 'ram:ID': id })),
    },
    'ram:BuyerTradeParty': {
      'ram:Name': buyerName(content) ?? `${say('invoice.order')} ${order.number}`,
      'ram:PostalTradeAddress': addressOf(buyer, isCode(buyer.country) ? buyer.country : country),
    },
    'ram:BuyerOrderReferencedDocument': { 'ram:IssuerAssignedID': order.number },
  };
}

function isCode(text: string | null | undefined): text is string {
  return /^[A-Z]{2}$/.test(text ?? '');
}

interface AddressLines {
  postal_code?: string | null;
  address1?: string | null;
  address2?: string | null;
  city?: string | null;
}

function addressOf({ postal_code, address1, address2, city }: AddressLines, country: string): Element {
  return {
    ...(postal_code && { 'ram:PostcodeCode': postal_code }),
    ...(address1 && { 'ram:LineOne': address1 }),
    ...(address2 && { 'ram:LineTwo': address2 }),
    ...(city && { 'ram:CityName': city }),
    'ram:CountryID': country,
  };
}

function delivery({ supply_date }: DocumentContent): Element | string {
  if (supply_date === null) return '';
  return { 'ram:ActualDeliverySupplyChainEvent': { 'ram:OccurrenceDateTime': dateOf(supply_date) } };
}

interface Parts {
  charged: DocumentLine[];
  lowered: DocumentLine[];
  language: Language;
  digits: number;
}

function settlement(content: DocumentContent, { charged, lowered, language, digits }: Parts): Element {
  const { currency, invoice, net, tax, total, paid, taxes, due_on } = content;
  const sum = (lines: DocumentLine[]) => lines.reduce((all, line) => all + minorUnits(positive(line.net), digits), 0);
  const due = decimal(minorUnits(total, digits) - minorUnits(paid, digits), digits);
  const inSellersCurrency = convertedTax(content);
  return {
    ...(inSellersCurrency && { 'ram:TaxCurrencyCode': inSellersCurrency.currency }),
    'ram:InvoiceCurrencyCode': currency,
    'ram:ApplicableTradeTax': taxes.map((one) => ({
      'ram:CalculatedAmount': one.tax,
      'ram:TypeCode': 'VAT',
      ...(one.category === 'E' && { 'ram:ExemptionReason': content.seller.small_business_note ?? '' }),
      ...(one.category === 'G' && { 'ram:ExemptionReason': language.say('invoice.export_reason') }),
      'ram:BasisAmount': one.net,
      'ram:CategoryCode': one.category,
      ...(one.category === 'G' && { 'ram:ExemptionReasonCode': 'VATEX-EU-G' }),
      'ram:RateApplicablePercent': percentOf(one.rate),
    })),
    'ram:SpecifiedTradeAllowanceCharge': lowered.map((line) => ({
      'ram:ChargeIndicator': { 'udt:Indicator': 'false' },
      'ram:ActualAmount': positive(line.net),
      'ram:Reason': restWords(content, line, language),
      'ram:CategoryTradeTax': taxOfLine(content, line.rate),
    })),
    'ram:SpecifiedTradePaymentTerms': {
      'ram:Description': paymentNote(content, language, digits),
      ...(due_on !== null && !/^[0.]+$/.test(due) && { 'ram:DueDateDateTime': dateOf(due_on) }),
    },
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation': {
      'ram:LineTotalAmount': decimal(sum(charged), digits),
      ...(lowered.length > 0 && { 'ram:AllowanceTotalAmount': decimal(sum(lowered), digits) }),
      'ram:TaxBasisTotalAmount': net,
      'ram:TaxTotalAmount': [{ currency, tax }, ...(inSellersCurrency ? [inSellersCurrency] : [])].map((amount) => ({
        '@currencyID': amount.currency,
        '#text': amount.tax,
      })),
      'ram:GrandTotalAmount': total,
      'ram:TotalPrepaidAmount': paid,
      'ram:DuePayableAmount': due,
    },
    ...(invoice && {
      'ram:InvoiceReferencedDocument': {
        'ram:IssuerAssignedID': invoice.number,
        'ram:FormattedIssueDateTime': {
          'qdt:DateTimeString': { '@format': '102', '#text': invoice.issued_on.replaceAll('-', '') },
        },
      },
    }),
  };
}

/** The tax in the currency in which the seller declares VAT. EN 16931 allows no currency with three decimals. */
function convertedTax({ converted_tax }: DocumentContent) {
  return converted_tax && currencyDigits(converted_tax.currency) <= MOST_DIGITS ? converted_tax : undefined;
}

function positive(amount: string): string {
  return amount.replace('-', '');
}
