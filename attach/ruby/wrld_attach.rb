# Loaded by every Ruby process of a run (RUBYOPT): a connection that a program makes with `TCPSocket` or `Socket.tcp`
# (Net::HTTP does, and so stripe-ruby, which asks for no proxy) and that leaves this machine is made to the world's proxy
# by CONNECT; and whoever brings roots of its own trusts the world's authority besides them.
module WrldAttach
  # Where a server speaks first, or a protocol is no HTTP: the proxy is told, so that it can refuse at once.
  RAW_PORTS = [21, 22, 25, 110, 143, 465, 587, 993, 995, 1433, 1521, 3306, 5432, 5672, 6379, 9042, 9092, 11211, 27017].freeze
  ANSWER_BYTES_MAX = 64 * 1024
  PROXY = %r{\Ahttp://(?:([^:@/]*):([^@/]*)@)?(\[[^\]]*\]|[^:/]+):(\d+)}.match(ENV["WRLD_WORLD_PROXY"].to_s)

  module_function

  def proxy_host
    PROXY[3].delete("[]")
  end

  def proxy_port
    Integer(PROXY[4], 10)
  end

  def direct?(host, port)
    name = host.to_s.downcase.chomp(".")
    return true if name.empty? || ["localhost", "::1", "0.0.0.0", "::"].include?(name)
    return true if name.end_with?(".localhost") || name.start_with?("127.", "::ffff:127.")
    return true if name == proxy_host && port == proxy_port

    (ENV["no_proxy"] || ENV["NO_PROXY"] || "").downcase.split(/[\s,]+/).any? do |entry|
      rule, of = entry.match?(/\A[^:]*:\d+\z/) ? entry.split(":") : [entry, nil]
      rule = rule.delete("[]").sub(/\A\*(?=\.)/, "")
      (of.nil? || of.to_i == port) &&
        (rule == "*" || rule == name || name.end_with?(rule.start_with?(".") ? rule : ".#{rule}"))
    end
  end

  # Raises what a socket raises that nobody answers, in the refusal's words.
  def tunnel(socket, host, port)
    authority = host.include?(":") ? "[#{host}]:#{port}" : "#{host}:#{port}"
    head = "CONNECT #{authority} HTTP/1.1\r\nHost: #{authority}\r\n"
    if PROXY[1]
      user = [PROXY[1], PROXY[2]].map { |part| part.gsub(/%(\h\h)/) { $1.hex.chr } }.join(":")
      head << "Proxy-Authorization: Basic #{[user].pack("m0")}\r\n"
    end
    head << "X-Wrld-Attached: raw\r\n" if RAW_PORTS.include?(port)
    socket.send("#{head}\r\n", 0)
    answer = +""
    until answer.include?("\r\n\r\n") || answer.bytesize > ANSWER_BYTES_MAX
      seen = socket.recv(ANSWER_BYTES_MAX, Socket::MSG_PEEK)
      break if seen.nil? || seen.empty?

      # What comes after the answer is the tunnel's.
      at = (answer + seen).index("\r\n\r\n")
      answer << socket.recv(at.nil? ? seen.bytesize : at + 4 - answer.bytesize)
    end
    return if answer.match?(%r{\AHTTP/1\.[01] 2})

    text = socket.recv(ANSWER_BYTES_MAX).to_s.lines.first.to_s.strip
    raise Errno::ECONNREFUSED, text.empty? ? "the world's proxy gave no tunnel to #{authority}" : text
  end

  # The port as a number where the connection is to be made by the proxy; nil where it is made as it is.
  def tunnelled(host, port)
    number = port.is_a?(String) && port.match?(/\A\d+\z/) ? port.to_i : port
    number = { "http" => 80, "https" => 443 }.fetch(number, number)
    number.is_a?(Integer) && !direct?(host, number) ? number : nil
  end

  def open_tunnel(socket, host, number)
    trust
    tunnel(socket, host.to_s, number)
    socket
  rescue StandardError
    socket.close
    raise
  end

  module Connects
    def initialize(host = nil, port = nil, *rest, **options)
      number = WrldAttach.tunnelled(host, port)
      return super if number.nil?

      super(WrldAttach.proxy_host, WrldAttach.proxy_port)
      WrldAttach.open_tunnel(self, host, number)
    end
  end

  module ConnectsByName
    def tcp(host, port, *rest, **options)
      number = WrldAttach.tunnelled(host, port)
      return super if number.nil?

      socket = WrldAttach.open_tunnel(super(WrldAttach.proxy_host, WrldAttach.proxy_port, &nil), host, number)
      return socket unless block_given?

      begin
        yield socket
      ensure
        socket.close
      end
    end
  end

  module Trusts
    def initialize(io, context = OpenSSL::SSL::SSLContext.new)
      WrldAttach.add_authority(context)
      super
    end
  end

  def add_authority(context)
    extra = ENV["NODE_EXTRA_CA_CERTS"].to_s
    return if context.frozen? || extra.empty? || !File.file?(extra)

    # Where there is no store, a file or folder of the program's own is added to the one that is made here.
    own = context.ca_file || context.ca_path
    context.cert_store ||= OpenSSL::X509::Store.new.tap { |store| store.set_default_paths unless own }
    context.cert_store.add_file(extra)
  rescue OpenSSL::X509::StoreError
    # It is in it already.
  end

  # TLS comes after the connection, so whoever connects has loaded it if it will be wanted.
  def trust
    return if @trusting || !defined?(OpenSSL::SSL::SSLSocket)

    @trusting = true
    OpenSSL::SSL::SSLSocket.prepend(Trusts)
  end

  def install
    require "socket"
    TCPSocket.prepend(Connects)
    Socket.singleton_class.prepend(ConnectsByName)
  end
end

WrldAttach.install if WrldAttach::PROXY
