/** Request class: what the requests of the load ask for, and which class each of them belongs to. Pure. */

interface RequestClassEntry {
  /** How a chart of it begins: `Order response time`. */
  readonly title: string;
}

/** Every class under the name that it has in results, in file names and on command lines. */
const entries = {
  /** `POST /orders`: needs the payment service. */
  orders: { title: 'Order' },
  /** `GET /catalog`: needs the gateway alone. */
  bystander: { title: 'Bystander' },
  /** `GET /users/:id`: needs the user service, which is always well. */
  users: { title: 'User service' },
} as const satisfies Record<string, RequestClassEntry>;

export type RequestClass = keyof typeof entries;

export const requestClasses = Object.keys(entries) as readonly RequestClass[];

/** Of ten requests in a row those at these places; the others are orders. */
const places: Readonly<Record<number, RequestClass>> = { 4: 'users', 9: 'bystander' };

/** The class of the request with this index in the schedule. */
export function requestClassOf(index: number): RequestClass {
  return places[index % 10] ?? 'orders';
}

export function requestClassTitle(requestClass: RequestClass): string {
  return entries[requestClass].title;
}

/** One value for each class. */
export function forEachClass<T>(of: (requestClass: RequestClass) => T): Record<RequestClass, T> {
  return Object.fromEntries(requestClasses.map((name) => [name, of(name)])) as Record<RequestClass, T>;
}
