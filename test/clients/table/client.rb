# What Ruby's Net::HTTP sees of a world: see client.sh.
require 'net/http'

def say(check, saw)
  puts ['ruby', check, saw ? 'yes' : 'no'].join("\t")
  $stdout.flush
end

def ask(url, body = nil)
  uri = URI(url)
  options = { use_ssl: uri.scheme == 'https', open_timeout: 20, read_timeout: 20 }
  Net::HTTP.start(uri.host, uri.port, **options) do |http|
    request = (body ? Net::HTTP::Post : Net::HTTP::Get).new(uri)
    request['Authorization'] = 'Bearer sk_test_x'
    request['Content-Type'] = 'application/octet-stream'
    request.body = body if body
    http.request(request).body
  end
rescue StandardError => e
  "#{e.class} #{e.message}"
end

granted = ENV.fetch('GRANTED')
say 'twin', ask(ENV.fetch('TWIN')).include?('/v1/customers')
say 'refusal', ask(ENV.fetch('REFUSED')).match?(/not-granted|not granted/)
say 'grant', ask("#{granted}/hello").include?('granted hello')
say 'up', ask("#{granted}/up", File.binread(ENV.fetch('BIG'))).include?('took 52428800')
say 'events', ask("#{granted}/events").include?('event 3')
say 'trust', ask("#{ENV.fetch('UNTRUSTED')}/").include?('certificate')
say 'loopback', ask("#{ENV.fetch('LOOPBACK')}/").include?('outside')
begin
  Net::HTTP.new("ruby#{ENV.fetch('SLIP')}", 80, nil).tap { |http| http.open_timeout = http.read_timeout = 3 }.get('/')
rescue StandardError
  nil
end
