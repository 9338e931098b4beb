/** What a request asks of the API server, in its own words. */
export interface ApiRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'other';
  readonly method: string;
  readonly path: string;
  /** Plural, as in the path; empty for `/readyz` and the like. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  /** Of the connection: the first that the proxy accepted is 1. */
  readonly connection: number;
  /** Date.now() when its head arrived. */
  readonly atMs: number;
}

const WRITES: Readonly<Record<string, ApiRequest['verb']>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

export function parseRequest(
  method: string,
  url: string,
  rest: Pick<ApiRequest, 'userAgent' | 'connection' | 'atMs'>,
): ApiRequest {
  const { pathname, searchParams } = new URL(url, 'https://api');
  const place = placeOf(pathname);
  const isWatch = searchParams.get('watch') === 'true' || searchParams.get('watch') === '1';
  // A watch of one object names it in its field selector, not in its path.
  const selected = /(?:^|,)metadata\.name==?([^,]+)/.exec(searchParams.get('fieldSelector') ?? '')?.[1];
  const verb = place.resource === '' ? 'other' : verbOf(method, place.name, isWatch);
  return { verb, method, path: url, ...place, name: place.name || (selected ?? ''), ...rest };
}

function verbOf(method: string, name: string, isWatch: boolean): ApiRequest['verb'] {
  if (method === 'GET') return isWatch ? 'watch' : name === '' ? 'list' : 'get';
  if (method === 'DELETE') return name === '' ? 'deletecollection' : 'delete';
  return WRITES[method] ?? 'other';
}

function placeOf(pathname: string): Pick<ApiRequest, 'resource' | 'subresource' | 'namespace' | 'name'> {
  const parts = pathname.split('/').filter((part) => part !== '');
  // /api/VERSION/… or /apis/GROUP/VERSION/…
  const below = parts[0] === 'api' ? parts.slice(2) : parts[0] === 'apis' ? parts.slice(3) : [];
  const isNamespaced = below[0] === 'namespaces' && below.length > 2;
  const [resource = '', name = '', subresource = ''] = isNamespaced ? below.slice(2) : below;
  return { resource, name, subresource, namespace: isNamespaced ? (below[1] ?? '') : '' };
}

/** Every field that is given has to be equal; `where` decides the rest. */
export interface Pattern extends Partial<Omit<ApiRequest, 'atMs' | 'userAgent'>> {
  readonly userAgent?: RegExp;
  readonly where?: (request: ApiRequest) => boolean;
}

export function matches(pattern: Pattern, request: ApiRequest): boolean {
  const { userAgent, where, ...fields } = pattern;
  return (
    Object.entries(fields).every(([name, value]) => request[name as keyof ApiRequest] === value) &&
    (userAgent?.test(request.userAgent) ?? true) &&
    (where?.(request) ?? true)
  );
}
