import type { profile as english } from '../en/profile.ts';

export const profile: Record<keyof typeof english, string> = {
  sections: 'Rubriques de votre compte',
  page: 'Page {page} sur {pages}',
  newer: 'Commandes plus récentes',
  older: 'Commandes plus anciennes',
  and_more: '{name} et {count, plural, one {# autre article} other {# autres articles}}',

  addresses: 'Adresses',
  addresses_none: 'Aucune adresse enregistrée pour le moment.',
  addresses_why: 'Vos modifications ne concernent pas les commandes déjà passées.',
  address_add: 'Ajouter une adresse',
  address_edit: 'Modifier l’adresse',
  address_change: 'Modifier',
  address_edit_of: 'Modifier l’adresse {address}',
  address_default: 'Adresse par défaut',
  address_make_default: 'Utiliser par défaut',
  address_make_default_of: 'Utiliser par défaut : {address}',
  address_default_box: 'Utiliser comme adresse par défaut',
  address_save: 'Enregistrer l’adresse',
  address_delete: 'Supprimer cette adresse',
  address_check: 'Vérifiez l’adresse',
  address_limit: 'Vous pouvez enregistrer {count} adresses au maximum. Supprimez-en une dont vous n’avez plus besoin.',
  addresses_back: 'Retour à vos adresses',
  address_saved: 'L’adresse a été enregistrée.',
  address_deleted: 'L’adresse a été supprimée.',

  title: 'Profil',
  check: 'Vérifiez ces champs',
  own: 'Vos informations',
  language: 'Langue des pages et des e-mails',
  language_auto: 'La langue de mon navigateur',
  save: 'Enregistrer',
  saved: 'Vos informations ont été enregistrées.',

  email: 'Adresse e-mail',
  email_now: 'Vous vous connectez avec {email}.',
  email_new: 'Nouvelle adresse e-mail',
  email_change: 'Changer l’adresse e-mail',
  email_after:
    'Nous envoyons un lien à la nouvelle adresse. L’ancienne reste valable tant que vous ne l’avez pas ouvert.',
  email_same: 'C’est déjà l’adresse de votre compte.',
  email_sent:
    'Nous avons envoyé un e-mail à la nouvelle adresse. Ouvrez le lien qu’il contient pour confirmer le changement. D’ici là, connectez-vous avec {email}.',

  password: 'Mot de passe',
  password_current: 'Mot de passe actuel',
  password_change: 'Changer le mot de passe',
  password_after: 'Tous vos autres appareils seront déconnectés.',
  password_changed: 'Votre mot de passe a été modifié. Tous les autres appareils ont été déconnectés.',
  password_empty: 'Saisissez votre mot de passe actuel.',
  password_wrong: 'Ce mot de passe est incorrect. Réessayez.',

  delete: 'Supprimer votre compte',
  delete_why: 'Supprime définitivement votre profil et vos adresses.',
  delete_link: 'Supprimer le compte…',
  delete_removed: 'Votre profil, vos adresses et vos paniers sont supprimés. Cette action est irréversible.',
  delete_orders:
    'La boutique conserve vos commandes pour sa comptabilité, comme la loi l’exige. Vous ne les verrez plus ici, et les liens vers vos commandes dans nos e-mails ne fonctionneront plus. Pour retourner un article, écrivez à la boutique.',
  delete_agents: '{count, plural, one {# assistant perd son accès} other {# assistants perdent leur accès}} : {names}.',
  delete_open:
    '{count, plural, one {Cette commande n’est pas encore terminée} other {Ces commandes ne sont pas encore terminées}} : {numbers}. {count, plural, one {Elle n’est pas annulée} other {Elles ne sont pas annulées}} : la boutique livrera quand même, et les montants dus restent à payer.',
  delete_button: 'Supprimer définitivement le compte',
  delete_back: 'Garder le compte',
  delete_paying:
    'Un paiement est en cours de traitement. Attendez quelques minutes qu’il soit terminé, puis supprimez le compte.',
  deleted: 'Votre compte a été supprimé',
  deleted_text: 'Vous êtes déconnecté partout. Nous avons supprimé votre mot de passe, votre profil et vos adresses.',
};
