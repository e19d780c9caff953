/** Legal pages of the demo shop, so that all links on its pages and in its mails work. */

import type { LegalLinksInput } from '@commerce-backend/spec';
import type { LanguageCode } from '../language/locales.ts';
import type { LegalKind } from '../shop/merchant/legal-texts.ts';
import { safeUrl } from '../shop/return-urls.ts';

export function legalPath(site_id: string, kind: LegalKind): string {
  return `/demo-shop/${site_id}/${kind}`;
}

/** Links to the demo shop's legal pages; empty if the settings would reject the server's base URL. */
export function demoLegal(baseUrl: string, site_id: string): LegalLinksInput {
  const addressOf = (kind: LegalKind) => {
    const address = baseUrl + legalPath(site_id, kind);
    return safeUrl(address, baseUrl) ? address : null;
  };
  return {
    terms_url: addressOf('terms'),
    privacy_url: addressOf('privacy'),
    withdrawal_url: addressOf('withdrawal'),
    imprint_url: addressOf('imprint'),
  };
}

/** Paragraphs of each legal page by language. */
export const LEGAL_TEXTS: Record<LanguageCode, Record<LegalKind, readonly string[]>> = {
  en: {
    terms: [
      'This is a demo shop. Orders are not binding: nothing is delivered and no payment is due.',
      'In a real shop the general terms of its sales stand here: how a contract comes about, prices, delivery, payment and warranty.',
    ],
    privacy: [
      'Data that you enter stays in the database of this server. Please do not enter other people’s real data.',
      'In a real shop this page says who is responsible for the data, what they are used for, how long they are kept, and which rights you have.',
    ],
    withdrawal: [
      'There is nothing to return: this demo shop delivers nothing.',
      'In a real shop in the European Union this page explains the right to withdraw from a contract within 14 days, and has the form for it.',
    ],
    imprint: [
      'Alder & Finch (demo shop), Erlenweg 3, 04277 Leipzig, Germany. This company does not exist.',
      'In a real shop this page names the company, its address, its register and tax numbers, and how to reach it.',
    ],
  },
  de: {
    terms: [
      'Dies ist ein Demo-Shop. Was Sie hier bestellen, wird weder verkauft noch geliefert, und es ist nichts zu bezahlen.',
      'In einem echten Shop stehen hier die Allgemeinen Geschäftsbedingungen: Vertragsschluss, Preise, Lieferung, Zahlung und Gewährleistung.',
    ],
    privacy: [
      'Was Sie hier eingeben, bleibt in der Datenbank dieses Servers. Bitte geben Sie keine echten Daten anderer Personen ein.',
      'In einem echten Shop steht hier, wer für die Daten verantwortlich ist, wozu sie dienen, wie lange sie aufbewahrt werden und welche Rechte Sie haben.',
    ],
    withdrawal: [
      'Es gibt nichts zurückzusenden: Dieser Demo-Shop liefert nichts.',
      'In einem echten Shop in der Europäischen Union erklärt diese Seite das Recht, einen Vertrag binnen 14 Tagen zu widerrufen, und enthält das Formular dafür.',
    ],
    imprint: [
      'Alder & Finch (Demo-Shop), Erlenweg 3, 04277 Leipzig. Dieses Unternehmen gibt es nicht.',
      'In einem echten Shop nennt diese Seite das Unternehmen, seine Anschrift, Register- und Steuernummern und wie man es erreicht.',
    ],
  },
  fr: {
    terms: [
      'Ceci est une boutique de démonstration. Rien de ce que vous commandez ici n’est vendu ni livré, et rien n’est à payer.',
      'Dans une vraie boutique se trouvent ici les conditions générales de vente : formation du contrat, prix, livraison, paiement et garanties.',
    ],
    privacy: [
      'Ce que vous saisissez ici reste dans la base de données de ce serveur. Ne saisissez pas de vraies données d’autres personnes.',
      'Dans une vraie boutique, cette page indique qui est responsable des données, à quoi elles servent, combien de temps elles sont conservées et quels sont vos droits.',
    ],
    withdrawal: [
      'Il n’y a rien à renvoyer : cette boutique de démonstration ne livre rien.',
      'Dans une vraie boutique de l’Union européenne, cette page explique le droit de se rétracter dans un délai de 14 jours et contient le formulaire prévu.',
    ],
    imprint: [
      'Alder & Finch (boutique de démonstration), Erlenweg 3, 04277 Leipzig, Allemagne. Cette société n’existe pas.',
      'Dans une vraie boutique, cette page indique la société, son adresse, ses numéros d’immatriculation et de TVA et comment la joindre.',
    ],
  },
};
