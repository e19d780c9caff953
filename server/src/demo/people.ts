import type { CustomerAddressInput } from '@commerce-backend/spec';
import { reset } from '../shop/account/registration.ts';
import * as addresses from '../shop/customers/addresses.ts';
import * as codes from '../shop/customers/codes.ts';
import * as customers from '../shop/customers/customers.ts';
import { hashPassword, randomPassword } from '../shop/passwords/passwords.ts';
import type { Shop } from '../shop/shop.ts';

export interface Person {
  email: string;
  address: CustomerAddressInput & { first_name: string };
}

function person(
  first_name: string,
  last_name: string,
  [address1 = '', postal_code = '', city = '', country = '']: string[],
) {
  const email = `${first_name}.${last_name}@mail.example`.toLowerCase();
  return { email, address: { first_name, last_name, address1, postal_code, city, country } };
}

export const JUNE: Person = person('June', 'Okafor', ['Lindenallee 7', '10115', 'Berlin', 'DE']);
export const EMIL: Person = person('Emil', 'Brandt', ['Am Hafen 21', '20457', 'Hamburg', 'DE']);
export const IDA: Person = person('Ida', 'Lindner', ['Birkengasse 30', '5020', 'Salzburg', 'AT']);
export const NOOR: Person = person('Noor', 'Haddad', ['Rheinufer 4', '50668', 'Köln', 'DE']);
export const TOM: Person = person('Tom', 'Reyes', ['Lange Gracht 112', '1015 AB', 'Amsterdam', 'NL']);

/** Customers with a login. The other people order as guests. */
const CUSTOMERS = [JUNE, EMIL, IDA];

export interface Account {
  id: string;
  email: string;
  password: string;
}

/** Creates customers as staff do, and sets each password with a token like that in the reset mail. */
export async function giveAccounts(shop: Shop): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const { email, address } of CUSTOMERS) {
    const { first_name, last_name } = address;
    const { id } = await customers.create(shop, { email, first_name, last_name });
    await addresses.create(shop, id, address);
    const token = await codes.mint(shop, 'reset_password', { customer_id: id, email });
    const password = randomPassword();
    await reset(shop, token, await hashPassword(password));
    accounts.push({ id, email, password });
  }
  return accounts;
}
