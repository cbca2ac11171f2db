/**
 * Rate limit script: what Redis runs to decide on one request, as one step that nothing can come between.
 *
 * The same state machines as `TokenBucket` and `SlidingWindow`, down to the order of the additions, so that both decide
 * alike to the last bit; numbers are written with 17 digits, which is all that a double has.
 */

/** Looks up the algorithm's state at `now`; whether it admits; and a function that counts the request if it is taken. */
const tokenBucket = `
function(key, now, ratePerS, burst)
  local saved = redis.call('HMGET', key, 'tokens', 'atMs')
  local tokens, atMs = tonumber(saved[1]) or burst, tonumber(saved[2]) or now
  tokens = math.min(burst, tokens + math.max(0, now - atMs) / 1000 * ratePerS)
  return tokens >= 1, function(taken)
    if taken then
      tokens = tokens - 1
      redis.call('HSET', key, 'tokens', exact(tokens), 'atMs', exact(now))
      expire(key, burst / ratePerS * 1000)
    end
    return exact(tokens), ''
  end
end`;

const slidingWindow = `
function(key, now, limit, windowMs)
  local function at(place) return tonumber(redis.call('LINDEX', key, place)) end
  while (at(0) or now) <= now - windowMs do redis.call('LPOP', key) end
  while (at(-1) or now) > now do redis.call('RPOP', key) end
  local used = redis.call('LLEN', key)
  return used < limit, function(taken)
    if taken then
      redis.call('RPUSH', key, exact(now))
      expire(key, windowMs)
      used = used + 1
    end
    return used, exact(at(0) or now)
  end
end`;

/**
 * KEYS: one per limit. ARGV: the moment of the request in ms, or '' for Redis's own time, which is the same for all
 * gateways; the moment after which nobody waits for the answer any more, so that nothing may be counted; and for each
 * limit its kind and two options.
 *
 * Answers `admitted`, `refused` or `late`, the moment, and two values per limit: tokens and '', or calls in the window
 * and the oldest of them.
 */
export const rateLimitScript = `
local function exact(number) return string.format('%.17g', number) end
-- A minute more than it takes to forget a client: what has expired would not have counted any more.
local function expire(key, ms) redis.call('PEXPIRE', key, math.ceil(ms) + 60000) end
local algorithms = { ['token-bucket'] = ${tokenBucket}, ['sliding-window'] = ${slidingWindow} }

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
if now > tonumber(ARGV[2]) then return { 'late', exact(now) } end

local admitted, settle = true, {}
for i, key in ipairs(KEYS) do
  local admits
  admits, settle[i] = algorithms[ARGV[3 * i]](key, now, tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2]))
  admitted = admitted and admits
end
local reply = { admitted and 'admitted' or 'refused', exact(now) }
for i = 1, #KEYS do reply[2 * i + 1], reply[2 * i + 2] = settle[i](admitted) end
return reply
`;
