/** User: what the user service is asked for and what comes back. */

/** A whole number from 1 to 999,999,999 in decimal digits; gateway and user service agree on it. */
export const userIdPattern = '^[1-9][0-9]{0,8}$';

export interface UserRequest {
  /** As `userIdPattern` says. */
  readonly id: string;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}
