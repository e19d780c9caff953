/** The addresses in mails and answers. They begin with the configured address, whatever host a request named. */
export function verificationLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/verify-email/${token}`;
}

/** Where a customer looks after orders and agents. */
export function accountLink(baseUrl: string, site_id: string): string {
  return `${baseUrl}/account?site_id=${site_id}`;
}

/** Where a customer enters the code that an agent shows. */
export function consentPage(baseUrl: string, site_id: string): string {
  return `${baseUrl}/agent-consent?site_id=${site_id}`;
}

export function resetLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/reset/${token}`;
}
